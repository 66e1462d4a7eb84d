/** A run's history truncated at a checkpoint, from which a resumed run repeats the later steps. */
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import type { RunHistory } from '../run/record/history';

/** An event and its place in the log: after the events of step `after`. */
export interface Placed {
  after: number;
  event: TrainerEvent;
}

/** True if a run that resumes from the checkpoint repeats the evaluation of this step, which was saved before it. */
function isRepeated(step: number, checkpoint: Checkpoint | null): boolean {
  const evaluated = checkpoint?.trainer.evaluatedStep;
  return step === checkpoint?.step && typeof evaluated === 'number' && evaluated < step;
}

/**
 * Events that produce this history, ordered by step. An evaluation that a resumed run repeats comes after all other events
 * of its step.
 */
export function placedEvents(
  { steps, evals, alerts }: Omit<RunHistory, 'record'>,
  checkpoint: Checkpoint | null,
): Placed[] {
  const events: Placed[] = [
    ...steps.map((record): Placed => ({ after: record.step, event: { type: 'step', record } })),
    ...alerts.map((alert): Placed => ({ after: alert.step, event: { type: 'alert', alert } })),
    ...evals.map((evaluation): Placed => {
      const { step } = evaluation.report;
      const after = isRepeated(step, checkpoint) ? step + 0.5 : step;
      return { after, event: { type: 'eval', ...evaluation } };
    }),
  ];
  return events.sort((a, b) => a.after - b.after);
}

/** History of a run resumed from the checkpoint; empty without a checkpoint. */
export function cutHistory(history: RunHistory, checkpoint: Checkpoint | null): RunHistory {
  const { record, steps, evals, alerts } = history;
  const last = checkpoint?.step ?? -1;
  return {
    record: { ...record, step: Math.max(0, last), checkpointStep: checkpoint && last },
    steps: steps.filter(({ step }) => step <= last),
    evals: evals.filter(({ report }) => report.step <= last && !isRepeated(report.step, checkpoint)),
    alerts: alerts.filter(({ step }) => step <= last),
  };
}
