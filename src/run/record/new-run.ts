/** Creates the initial record of a run, for the page and the command. */
import { newId } from '../../base/digest';
import type { RunConfig } from '../config/config';
import { MOST_NAME } from './record-limits';
import type { RunClass, RunRecord } from './run-record';

export function newRunRecord(
  config: RunConfig,
  name: string,
  machine: Record<string, unknown>,
  ofClass?: RunClass,
  id = newId(),
): RunRecord {
  const now = Date.now();
  return {
    id,
    config,
    name: name.slice(0, MOST_NAME),
    notes: '',
    ...(ofClass && { class: ofClass }),
    status: 'running',
    step: 0,
    checkpointStep: null,
    logLength: 0,
    createdAt: now,
    updatedAt: now,
    machine,
  };
}
