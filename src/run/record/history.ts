/**
 * The history of a run: what its events have said so far, in one fold. The worker keeps it beside the training, the page
 * draws it, the store keeps it, and reports and sweeps sum it up (`summary.ts`).
 */
import type { Alert, StepRecord, TrainerEvent } from './events';
import type { Evaluation } from './evaluation';
import type { RunRecord } from './run-record';

/** What the events of a run have said, each list in the order of its steps; not the rollouts, which are many. */
export interface History {
  readonly steps: readonly StepRecord[];
  readonly evals: readonly Evaluation[];
  readonly alerts: readonly Alert[];
}

/** A history to which events are added in place, so that a step costs the same however long the run is. */
export interface GrowingHistory {
  steps: StepRecord[];
  evals: Evaluation[];
  alerts: Alert[];
}

/** All that is kept of a run but its rollouts and its weights. */
export interface RunHistory extends History {
  record: RunRecord;
}

export const emptyHistory: History = { steps: [], evals: [], alerts: [] };

export function growingHistory({ steps, evals, alerts }: History = emptyHistory): GrowingHistory {
  return { steps: [...steps], evals: [...evals], alerts: [...alerts] };
}

/** What a resumed run says again replaces what stood there. */
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

/** What the run's record says after one more event; a lost device leaves it as one that was cut off. */
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

/** Appends an entry; a run that goes on from a checkpoint repeats the steps after it, which it then replaces. */
export function putAtStep<T>(list: T[], entry: T, stepOf: (entry: T) => number): void {
  const step = stepOf(entry);
  while (list.length > 0 && stepOf(list[list.length - 1]) >= step) list.pop();
  list.push(entry);
}
