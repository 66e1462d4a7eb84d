import { describe, expect, it } from 'vitest';
import { rungs } from '../../../src/app/page/recording';
import { secondsToLastEnd, secondsLeft, type Timed } from '../../../src/app/page/ladder-time-left';
import { createRandom } from '../../../src/base/random';
import { readRecording } from '../../fixtures/recordings';

const recorded = rungs.slice(0, 2).map(({ preset }) => readRecording(preset).elapsed);

/**
 * Two runs on a computer half as fast as the recordings', steps 30 % longer or shorter, evaluations 10 %.
 *
 * @param gain - how much more it does of two at once than of one
 * @returns when each step of each came in, seen four times a second, and when it was over
 */
function sideBySide(gain: number): { steps: number[]; over: number }[] {
  const random = createRandom(7);
  const runs = recorded.map((elapsed) => ({
    left: elapsed.map((end, i) => {
      const usual = end - (elapsed[i - 1] ?? 0);
      return 2 * usual * (1 + (random.uniform() - 0.5) * (usual > 0.3 ? 0.2 : 0.6));
    }),
    steps: [] as number[],
    over: 0,
  }));
  const tick = 0.01;
  for (let now = 2; runs.some(({ left }) => left.length > 0); now += tick) {
    const live = runs.filter(({ left }) => left.length > 0);
    for (const run of live) {
      run.left[0] -= tick * (live.length === 2 ? gain / 2 : 1);
      if (run.left[0] > 0) continue;
      run.left.shift();
      if (run.left.length === 0) run.over = now;
      else run.steps.push(Math.ceil(4 * now) / 4);
    }
  }
  return runs;
}

describe('the time left', () => {
  it.each([1.2, 1.33, 1.5])(
    'is within a quarter from the fifth step on, evaluations counted, where two at once get %f times as much done',
    (gain) => {
      const runs = sideBySide(gain);
      const end = Math.max(...runs.map(({ over }) => over));
      const errors: number[] = [];
      const widths: number[] = [];
      for (let now = 0; now < end - 3; now += 0.25) {
        const timed = runs.map(({ steps, over }, i): Timed => ({
          elapsed: recorded[i],
          stepTimes: steps.filter((step) => step <= now),
          now: Math.min(now, over),
          isOver: over <= now,
        }));
        if (timed.some(({ stepTimes }) => stepTimes.length < 5)) continue;
        const left = end - now;
        const [least, most] = secondsLeft(timed, 2)!;
        errors.push(Math.max(least - left, left - most, 0) / Math.max(left, 6)); // a second and a half is enough
        widths.push(most / least);
      }
      expect(errors.length).toBeGreaterThan(100);
      expect(Math.max(...errors)).toBeLessThan(0.25);
      expect(Math.max(...widths)).toBeLessThan(1.67); // neither end is further than a quarter from the middle
    },
  );

  it('is not told before the fifth step of each', () => {
    const run = { elapsed: [1, 2, 3, 4, 5, 6, 16], stepTimes: [20, 22, 24, 26], now: 27, isOver: false };
    expect(secondsLeft([run], 8)).toBeNull();
    const fifth = { ...run, stepTimes: [...run.stepTimes, 28], now: 29 };
    expect(secondsLeft([fifth], 8)).toEqual([21, 21]);
    expect(secondsLeft([fifth, run], 8)).toBeNull();
  });

  it('lets a run have more of the computer when one beside it has ended', () => {
    expect(secondsToLastEnd([30, 10], () => 1)).toBe(30);
    expect(secondsToLastEnd([30, 10], (runs) => 1 / runs)).toBe(20 + 20);
  });
});
