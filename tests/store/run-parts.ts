/** Events and checkpoints of runs as the trainer produces them. Every value depends on the step, which reveals mixed steps. */
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { Rollout } from '../../src/run/record/rollout-record';
import { example } from '../share/example-config';

/** A checkpoint whose arrays are filled with the step. */
export function checkpointAt(step: number, length = 1000): Checkpoint {
  const filled = (value: number) => new Float32Array(length).fill(value);
  return {
    version: 1,
    config: example,
    step,
    policy: {
      parameters: filled(step),
      moment1: filled(step + 0.25),
      moment2: filled(step + 0.5),
      updates: step,
      reference: filled(step + 0.75),
    },
    trainer: { kl: 0.01 * step, cursor: [step, step + 1] },
  };
}

/** Events of the steps `from` to `to`, inclusive. */
export function eventsOf(from: number, to: number): TrainerEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index): TrainerEvent[] => {
    const step = from + index;
    return [
      { type: 'rollouts', step, rollouts: [] },
      { type: 'step', record: { step, reward: step / 2 } },
      { type: 'progress', phase: 'update', step, fraction: 1 },
    ];
  }).flat();
}

export function rolloutAt(step: number): Rollout {
  return { step, completion: `of step ${step}` } as Rollout;
}

/** @returns the step that fills every array of the checkpoint, or null if they disagree */
export function stepWithin(checkpoint: Checkpoint): number | null {
  const { parameters, moment1, moment2, reference } = checkpoint.policy;
  const agrees =
    parameters.every((value) => value === checkpoint.step) &&
    moment1.every((value) => value === checkpoint.step + 0.25) &&
    moment2.every((value) => value === checkpoint.step + 0.5) &&
    (reference?.every((value) => value === checkpoint.step + 0.75) ?? false);
  return agrees ? checkpoint.step : null;
}
