/** A run as the list of runs shows it: its configuration, how far it came, and on what it ran. */
import * as v from 'valibot';
import { runConfigSchema } from './config';
import { count, text } from './record-fields';

/** `running` with nobody holding the trainer's lock means that the tab died: the run can be resumed. */
const status = v.picklist(['running', 'paused', 'stopped', 'done', 'failed']);

export type RunStatus = v.InferOutput<typeof status>;

export const runRecordSchema = v.object({
  id: text,
  config: runConfigSchema,
  /** What differs from the preset (`runName` in the share room), until somebody gives it another. */
  name: text,
  notes: text,
  status,
  /** Of a run that failed: what happened and what to do, in the words of the screen that said so. */
  failure: v.optional(text),
  /** The last step whose record is kept. */
  step: count,
  /** The step from which the run can go on; null before its first checkpoint. */
  checkpointStep: v.nullable(count),
  /** The step whose weights answered best, on the validation set where there is one; missing while that is step 0. */
  bestStep: v.optional(count),
  /** Entries of its log. */
  logLength: count,
  /** Milliseconds since 1970. */
  createdAt: count,
  updatedAt: count,
  /** Adapter, browser, build, backend and its timing: plain JSON, shown and exported as it is. */
  machine: v.record(text, v.unknown()),
});

export type RunRecord = v.InferOutput<typeof runRecordSchema>;
