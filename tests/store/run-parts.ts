/** Parts of runs as the trainer gives them to the store, in which a mixture of two steps would show. */
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { Rollout } from '../../src/run/record/rollout-record';
import { example } from '../share/example-config';

/** A checkpoint in which every number is the step's, so that a mixture of two would show. */
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

/** The events of steps `from` to `to`, both included. */
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

/** @returns the step that fills every array of the checkpoint, or null where they disagree */
export function stepWithin(checkpoint: Checkpoint): number | null {
  const { parameters, moment1, moment2, reference } = checkpoint.policy;
  const agrees =
    parameters.every((value) => value === checkpoint.step) &&
    moment1.every((value) => value === checkpoint.step + 0.25) &&
    moment2.every((value) => value === checkpoint.step + 0.5) &&
    (reference?.every((value) => value === checkpoint.step + 0.75) ?? false);
  return agrees ? checkpoint.step : null;
}
