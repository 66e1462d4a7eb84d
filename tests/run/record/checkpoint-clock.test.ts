import { describe, expect, it } from 'vitest';
import { createCheckpointClock } from '../../../src/run/record/checkpoint-clock';

/**
 * Takes steps of `stepSeconds` and saves of `saveSeconds` by a simulated clock, as the trainer asks for them: after a step.
 */
function lifeOf(stepSeconds: number, saveSeconds: number, steps: number) {
  let now = 0;
  const clock = createCheckpointClock(false, () => 1000 * now);
  const saved: number[] = [];
  for (let step = 1; step <= steps; step++) {
    now += stepSeconds;
    clock.stepEnded();
    if (!clock.isDue()) continue;
    now += saveSeconds;
    clock.taken();
    saved.push(step);
  }
  return { saved, all: now };
}

it.each([
  [1, 0, 70, [1, 30, 59]],
  [3, 0, 25, [1, 10, 19]],
  [12, 0, 6, [1, 3, 5]],
  [45, 0, 3, [1, 2, 3]],
  [3, 3, 45, [1, 20, 39]],
])(
  'with steps of %d s and saves of %d s a kill costs half a minute, one step or twenty saves at most',
  (seconds, save, steps, expected) => {
    const { saved, all } = lifeOf(seconds, save, steps);
    expect(saved).toEqual(expected);
    expect(save * saved.length).toBeLessThanOrEqual(2 * save + all / 20);
  },
);

describe('saving', () => {
  it('in a resumed run waits for half a minute of new work, after a scheduled checkpoint as well', () => {
    let now = 1e6;
    const clock = createCheckpointClock(true, () => now);
    now += 5000;
    clock.stepEnded();
    expect(clock.isDue()).toBe(false);
    clock.taken();
    now += 24_000;
    clock.stepEnded();
    expect(clock.isDue()).toBe(true);
  });
});
