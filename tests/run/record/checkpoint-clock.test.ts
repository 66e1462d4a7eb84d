import { describe, expect, it } from 'vitest';
import { createCheckpointClock } from '../../../src/run/record/checkpoint-clock';

/**
 * Takes steps of `stepSeconds` and saves of `saveSeconds` by a simulated clock, as the trainer asks for them: after a step.
 *
 * @returns the first saved step, the seconds of saving and of all, and the most work that a kill after it would have cost
 */
function lifeOf(stepSeconds: number, saveSeconds: number, steps: number) {
  let now = 0;
  const clock = createCheckpointClock(false, () => 1000 * now);
  const saved: number[] = [];
  let worst = 0;
  for (let step = 1; step <= steps; step++) {
    now += stepSeconds;
    clock.stepEnded();
    if (saved.length > 0) worst = Math.max(worst, stepSeconds * (step - saved.at(-1)!));
    if (!clock.isDue()) continue;
    now += saveSeconds;
    clock.taken();
    saved.push(step);
  }
  return { worst, firstKept: saved[0], saving: saveSeconds * saved.length, all: now };
}

describe('a run that is killed at any moment after its first step', () => {
  it.each([
    [1, 40, 30],
    [3, 15, 30],
    [12, 12, 30],
    [29, 6, 30],
    [45, 5, 45],
    [400, 3, 400],
  ])('of %d s a step loses at most half a minute, or one step', (stepSeconds, steps, most) => {
    const { worst, firstKept } = lifeOf(stepSeconds, 0, steps);
    expect(firstKept).toBe(1);
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThanOrEqual(most);
  });
});

describe('saving', () => {
  it('takes at most a twentieth of the time, apart from the first checkpoint', () => {
    const { saving, all, worst } = lifeOf(3, 3, 45);
    expect(saving).toBeGreaterThan(3);
    expect(saving).toBeLessThanOrEqual(3 + 3 + all / 20);
    expect(worst).toBeLessThanOrEqual(20 * 3 + 3);
  });

  it('is not asked for twice of the same step', () => {
    let now = 0;
    const clock = createCheckpointClock(false, () => now);
    expect(clock.isDue()).toBe(false);
    clock.stepEnded();
    expect(clock.isDue()).toBe(true);
    clock.taken();
    now = 1e6;
    expect(clock.isDue()).toBe(false);
  });

  it('in a resumed run waits for half a minute of new work', () => {
    let now = 0;
    const clock = createCheckpointClock(true, () => now);
    now = 5000;
    clock.stepEnded();
    expect(clock.isDue()).toBe(false);
    now = 29_000;
    expect(clock.isDue()).toBe(true);
  });
});
