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

/** All that is kept of a run but its rollouts and its weights. */
export interface RunHistory extends History {
  record: RunRecord;
}

export const emptyHistory: History = { steps: [], evals: [], alerts: [] };

/** The history with one more event; lists that it does not change stay the same. What a resumed run says again replaces what stood there. */
export function historyAfter({ steps, evals, alerts }: History, event: TrainerEvent): History {
  switch (event.type) {
    case 'step': {
      const { record } = event;
      return { steps: [...before(steps, record.step, ({ step }) => step), record], evals, alerts };
    }
    case 'eval': {
      const { report, verdict, forecast } = event;
      const evaluation = { report, ...(verdict && { verdict }), ...(forecast && { forecast }) };
      return {
        steps,
        evals: [...before(evals, report.step, (other) => other.report.step), evaluation],
        alerts,
      };
    }
    case 'alert': {
      const { alert } = event;
      const isNew = !alerts.some(({ code, step }) => code === alert.code && step === alert.step);
      return { steps, evals, alerts: isNew ? [...alerts, alert] : alerts };
    }
    case 'rollouts':
    case 'progress':
    case 'checkpoint':
    case 'lost':
    case 'done':
    case 'failed':
      return { steps, evals, alerts };
  }
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

/** What stands before `step` in a list: a run that goes on from a checkpoint repeats the steps after it. */
export function before<T>(list: readonly T[], step: number, stepOf: (entry: T) => number): readonly T[] {
  const last = list.at(-1);
  return last === undefined || stepOf(last) < step ? list : list.filter((entry) => stepOf(entry) < step);
}
