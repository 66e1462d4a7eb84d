/**
 * History of a run: a fold over its events. The worker maintains it during training, the page draws it, the store saves
 * it, and reports and sweeps summarise it (`summary.ts`).
 */
import type { Alert, StepRecord, TrainerEvent } from './events';
import type { Evaluation } from './evaluation';
import type { RunRecord } from './run-record';

/** Records from a run's events, each list in step order. Rollouts are omitted because of their size. */
export interface History {
  readonly steps: readonly StepRecord[];
  readonly evals: readonly Evaluation[];
  readonly alerts: readonly Alert[];
}

/** Mutable history. Events are appended in place, at a cost per step that is independent of the run's length. */
export type GrowingHistory = { -readonly [Kind in keyof History]: History[Kind][number][] };

/** Stored data of a run, without rollouts and weights. */
export interface RunHistory extends History {
  record: RunRecord;
}

export const emptyHistory: History = { steps: [], evals: [], alerts: [] };

export function growingHistory({ steps, evals, alerts }: History = emptyHistory): GrowingHistory {
  return { steps: [...steps], evals: [...evals], alerts: [...alerts] };
}

/** Adds an event. Repeated events of a resumed run replace the earlier ones. */
export function addEvent({ steps, evals, alerts }: GrowingHistory, event: TrainerEvent): void {
  if (event.type === 'step') {
    putAtStep(steps, event.record, ({ step }) => step);
  } else if (event.type === 'eval') {
    const { report, verdict } = event;
    putAtStep(evals, { report, ...(verdict && { verdict }) }, (other) => other.report.step);
  } else if (event.type === 'alert') {
    const { alert } = event;
    const isKnown = alerts.some(({ code, step }) => code === alert.code && step === alert.step);
    if (!isKnown) alerts.push(alert);
  }
}

export function historyOf(events: Iterable<TrainerEvent>): History {
  const history = growingHistory();
  for (const event of events) addEvent(history, event);
  return history;
}

/**
 * Updates the run record for an event. A lost device leaves the record unchanged, like a run that was cut off. If a
 * run continues after a failure, the record drops the cause.
 */
export function recordAfter(record: RunRecord, event: TrainerEvent): RunRecord {
  const ongoing = { ...record, failure: undefined };
  if (event.type === 'step') return { ...ongoing, status: 'running', step: event.record.step };
  if (event.type === 'checkpoint') return { ...record, checkpointStep: event.checkpoint.step };
  if (event.type === 'done') return { ...ongoing, status: 'done' };
  if (event.type === 'failed') {
    return { ...record, status: 'failed', failure: `${event.error.message} ${event.error.nextStep}` };
  }
  return record;
}

/** Appends an entry and removes entries of the same or later steps, which a resumed run repeats. */
export function putAtStep<T>(list: T[], entry: T, stepOf: (entry: T) => number): void {
  const step = stepOf(entry);
  while (list.length > 0 && stepOf(list.at(-1)!) >= step) list.pop();
  list.push(entry);
}
