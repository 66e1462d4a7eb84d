import { describe, expect, it } from 'vitest';
import { presets } from '../../src/run/config/presets';
import { adamwAt, learningRateAt } from '../../src/rl/schedule';

const base = { ...presets['ladder-25k'].optimizer, learningRate: 2, warmupSteps: 0, finalFraction: 0.1 };

describe('the learning rate', () => {
  it('decays along half a cosine', () => {
    const cosine = { ...base, decay: 'cosine' as const, finalFraction: 0 };
    expect(learningRateAt(25, 101, cosine)).toBeCloseTo(1 + Math.SQRT1_2, 12);
    expect(learningRateAt(50, 101, cosine)).toBeCloseTo(1, 12);
    expect(learningRateAt(100, 101, cosine)).toBeCloseTo(0, 12);
  });

  it('rises and decays in a warm start and again after it', () => {
    const warmStart = { updates: 3, learningRate: 8, warmupUpdates: 1 };
    const optimizer = { ...base, warmupSteps: 1 };
    const config = { ...presets['ladder-25k'], steps: 7, optimizer, warmStart };
    const rates = [1, 2, 3, 4, 5, 6, 7].map((step) => adamwAt(step, config).learningRate);
    expect(rates).toEqual([4, 8, 0.8, 1, 2, 1.1, 0.2].map((rate) => expect.closeTo(rate, 12) as number));
  });

  it('stays at the peak if the final fraction is 1, and at the first of one or two steps', () => {
    expect(learningRateAt(99, 100, { ...base, finalFraction: 1 })).toBe(2);
    expect([learningRateAt(0, 1, base), learningRateAt(0, 2, base)]).toEqual([2, 2]);
    expect(learningRateAt(1, 2, base)).toBeCloseTo(0.2, 12);
  });
});
