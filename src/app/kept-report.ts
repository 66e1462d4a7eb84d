/** A kept run as the record that a report shows and a sweep compares. */
import type { Rollout } from '../run/events';
import type { RunReport } from '../run/report';
import type { RunStatus } from '../store/records';
import type { KeptRun } from '../../workers/protocol';

const outcomes: Record<RunStatus, RunReport['outcome']> = {
  running: 'running',
  paused: 'running',
  stopped: 'running',
  done: 'done',
  failed: 'failed',
};

/** @param rollouts - of its first and of its last kept step */
export function reportOf(
  { record, steps, evals, alerts }: KeptRun,
  rollouts: { first: readonly Rollout[]; last: readonly Rollout[] } = { first: [], last: [] },
): RunReport {
  return {
    config: record.config,
    machine: record.machine,
    steps,
    evaluations: evals,
    alerts,
    firstRollouts: [...rollouts.first],
    lastRollouts: [...rollouts.last],
    outcome: outcomes[record.status],
    failure: record.failure ?? null,
  };
}
