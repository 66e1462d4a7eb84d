import { describe, expect, it } from 'vitest';
import { train } from '../../../src/rl/trainer';
import { createCheckpointClock } from '../../../src/run/record/checkpoint-clock';
import { smallConfig, warmTable } from '../../rl/runs';

interface Story {
  /** Of work that a kill would have cost, at the worst moment after the first checkpoint. */
  worst: number;
  /** The step whose end was kept first. */
  firstKept: number;
  /** Of seconds, the part that saving took, and all. */
  saving: number;
  all: number;
}

/**
 * Trains with a simulated clock: `stepSeconds` for each step, `saveSeconds` for each save. `checkpointEvery` is never
 * reached.
 */
async function lifeOf(stepSeconds: number, saveSeconds: number, steps: number): Promise<Story> {
  let now = 0;
  const clock = createCheckpointClock(false, () => now);
  const rollout = { promptsPerStep: 1, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 8 };
  const config = smallConfig({
    steps,
    rollout,
    evaluation: { every: 100, items: 1, hardItems: 0, seed: 7, patience: 0 },
  });
  /** Seconds of work so far. A checkpoint holds the first `kept` of them. */
  let work = 0;
  let kept = 0;
  let firstKept = 0;
  let saving = 0;
  let worst = 0;
  const workAt = [0];
  const beginnings = 4; // of the phases of a step, at which an event comes
  const tick = (): void => {
    // A step has more phases than these where it asks a reference model.
    if (work >= stepSeconds * workAt.length - 1e-9) return;
    now += (1000 * stepSeconds) / beginnings;
    work += stepSeconds / beginnings;
    if (firstKept > 0) worst = Math.max(worst, work - kept);
  };
  const events = train(await warmTable(), config, { checkpointRequested: () => clock.isDue() });
  for await (const event of events) {
    if (event.type === 'progress' && event.phase !== 'evaluate' && event.fraction === 0) tick();
    if (event.type === 'step') {
      while (work < stepSeconds * event.record.step - 1e-9) tick(); // also where it has fewer
      workAt[event.record.step] = work;
      clock.stepEnded();
    }
    if (event.type !== 'checkpoint') continue;
    now += 1000 * saveSeconds;
    saving += saveSeconds;
    clock.taken();
    kept = workAt[event.checkpoint.step];
    if (firstKept === 0) firstKept = event.checkpoint.step;
  }
  return { worst, firstKept, saving, all: now / 1000 };
}

describe('a run that is killed at any moment after its first step', () => {
  it.each([
    [1, 40, 30],
    [3, 15, 30],
    [12, 12, 30],
    [29, 6, 30],
    [45, 5, 45],
    [400, 3, 400],
  ])('of %d s a step loses at most half a minute, or one step', async (stepSeconds, steps, most) => {
    const { worst, firstKept, saving } = await lifeOf(stepSeconds, 0, steps);
    expect(firstKept).toBe(1);
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThanOrEqual(most);
    expect(saving).toBe(0);
  });
});

describe('saving', () => {
  it('takes at most a twentieth of the time, beside the first and the last checkpoint', async () => {
    const { saving, all, worst } = await lifeOf(3, 3, 45);
    const firstAndLast = 2 * 3;
    expect(saving).toBeGreaterThan(firstAndLast);
    expect(saving).toBeLessThanOrEqual(firstAndLast + 3 + all / 20);
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

  it('of a run that goes on waits for half a minute of new work', () => {
    let now = 0;
    const clock = createCheckpointClock(true, () => now);
    now = 5000;
    clock.stepEnded();
    expect(clock.isDue()).toBe(false);
    now = 29_000;
    expect(clock.isDue()).toBe(true);
  });
});
