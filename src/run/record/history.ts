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
export interface GrowingHistory {
  steps: StepRecord[];
  evals: Evaluation[];
  alerts: Alert[];
}

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
  switch (event.type) {
    case 'step':
      putAtStep(steps, event.record, ({ step }) => step);
      break;
    case 'eval': {
      const { report, verdict } = event;
      const evaluation = { report, ...(verdict && { verdict }) };
      putAtStep(evals, evaluation, (other) => other.report.step);
      break;
    }
    case 'alert': {
      const { alert } = event;
      const isKnown = alerts.some(({ code, step }) => code === alert.code && step === alert.step);
      if (!isKnown) alerts.push(alert);
      break;
    }
    case 'rollouts':
    case 'progress':
    case 'checkpoint':
    case 'lost':
    case 'done':
    case 'failed':
      break;
  }
}

export function historyOf(events: Iterable<TrainerEvent>): History {
  const history = growingHistory();
  for (const event of events) addEvent(history, event);
  return history;
}

/** Updates the run record for an event. A lost device leaves the record unchanged, like a run that was cut off. */
export function recordAfter(record: RunRecord, event: TrainerEvent): RunRecord {
  switch (event.type) {
    case 'step':
      return { ...record, status: 'running', step: event.record.step };
    case 'checkpoint':
      return {
        ...record,
        checkpointStep: event.checkpoint.step,
        ...(event.best === true && { bestStep: event.checkpoint.step }),
      };
    case 'done':
      return { ...record, status: 'done' };
    case 'failed':
      return { ...record, status: 'failed', failure: `${event.error.message} ${event.error.nextStep}` };
    case 'eval':
    case 'alert':
    case 'rollouts':
    case 'progress':
    case 'lost':
      return record;
  }
}

/** Appends an entry and removes entries of the same or later steps, which a resumed run repeats. */
export function putAtStep<T>(list: T[], entry: T, stepOf: (entry: T) => number): void {
  const step = stepOf(entry);
  while (list.length > 0 && stepOf(list.at(-1)!) >= step) list.pop();
  list.push(entry);
}
