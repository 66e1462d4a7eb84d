import { expect, it } from 'vitest';
import { createCheckpointClock } from '../../../src/run/record/checkpoint-clock';

/**
 * Takes steps of `stepSeconds` and saves of `saveSeconds` by a simulated clock, as the trainer asks for them: after a step.
 * A resumed run also has a scheduled checkpoint after its second step.
 */
function lifeOf(stepSeconds: number, saveSeconds: number, steps: number, isResumed: boolean) {
  const start = 1000;
  let now = start;
  const clock = createCheckpointClock(isResumed, () => 1000 * now);
  const saved: number[] = [];
  for (let step = 1; step <= steps; step++) {
    now += stepSeconds;
    clock.stepEnded();
    if (isResumed && step === 2) clock.taken();
    if (!clock.isDue()) continue;
    now += saveSeconds;
    clock.taken();
    saved.push(step);
  }
  return { saved, all: now - start };
}

it.each<[number, number, number, saved: number[], isResumed?: boolean]>([
  [1, 0, 70, [1, 30, 59]],
  [3, 0, 25, [1, 10, 19]],
  [12, 0, 6, [1, 3, 5]],
  [45, 0, 3, [1, 2, 3]],
  [3, 3, 45, [1, 20, 39]],
  [9, 0, 5, [5], true],
])(
  'with steps of %d s and saves of %d s a kill costs half a minute, one step or twenty saves at most',
  (seconds, save, steps, expected, isResumed = false) => {
    const { saved, all } = lifeOf(seconds, save, steps, isResumed);
    expect(saved).toEqual(expected);
    expect(save * saved.length).toBeLessThanOrEqual(2 * save + all / 20);
  },
);
