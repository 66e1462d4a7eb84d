/** A run's history as far as one of its checkpoints, from where what came after is made again. */
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import type { RunHistory } from '../run/record/history';

/** An event, and the step behind which it stands in the log. */
export interface Placed {
  after: number;
  event: TrainerEvent;
}

/** Whether the evaluation of this step is made again from a checkpoint: it was taken within it. */
function isMadeAgain(step: number, checkpoint: Checkpoint | null): boolean {
  const evaluated = checkpoint?.trainer.evaluatedStep;
  return step === checkpoint?.step && typeof evaluated === 'number' && evaluated < step;
}

/** The events that would have made this history, by step, those that the checkpoint makes again behind all others of its step. */
export function placedEvents(
  { steps, evals, alerts }: Omit<RunHistory, 'record'>,
  checkpoint: Checkpoint | null,
): Placed[] {
  const events: Placed[] = [
    ...steps.map((record): Placed => ({ after: record.step, event: { type: 'step', record } })),
    ...alerts.map((alert): Placed => ({ after: alert.step, event: { type: 'alert', alert } })),
    ...evals.map((evaluation): Placed => {
      const { step } = evaluation.report;
      const after = isMadeAgain(step, checkpoint) ? step + 0.5 : step;
      return { after, event: { type: 'eval', ...evaluation } };
    }),
  ];
  return events.sort((a, b) => a.after - b.after);
}

/** What stands when the run goes on from this checkpoint; nothing where there is none. */
export function cutHistory(history: RunHistory, checkpoint: Checkpoint | null): RunHistory {
  const { record, steps, evals, alerts } = history;
  const last = checkpoint?.step ?? -1;
  return {
    record: { ...record, step: Math.max(0, last), checkpointStep: checkpoint && last },
    steps: steps.filter(({ step }) => step <= last),
    evals: evals.filter(({ report }) => report.step <= last && !isMadeAgain(report.step, checkpoint)),
    alerts: alerts.filter(({ step }) => step <= last),
  };
}
