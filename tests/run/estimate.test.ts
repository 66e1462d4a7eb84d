import { describe, expect, it } from 'vitest';
import { presets } from '../../src/run/config/presets';
import { durationWords, estimate, measuredStep, notBegun, secondsLeft } from '../../src/run/estimate';

const config = { ...presets['ladder-25k'], steps: 40 }; // looks at 10, 20, 30
const parts = { step: 2, ends: 30, look: 10 };
const records = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, i) => ({
    step: i + 1,
    step_time: i < 2 ? 100 : seconds,
    'time/store': 0.5,
  }));

describe('the estimate of a run', () => {
  it('is the work of its parts at the speed of the computer', () => {
    const work = {
      step: { flops: 4e9, calls: 100 },
      ends: { flops: 60e9, calls: 0 },
      look: { flops: 0, calls: 2000 },
      warm: { flops: 2e9, calls: 0 },
    };
    const speed = { flopsPerSecond: 2e9, secondsPerCall: 0.005 };
    expect(estimate({ work }, speed)).toEqual({ step: 2.5, ends: 30, look: 10, warm: 1 });
  });

  it('has all steps and all evaluations before the run begins', () => {
    expect(secondsLeft(parts, notBegun(config))).toBe(40 * 2 + 2 * 30 + 3 * 10);
  });

  it('is corrected by the steps that were taken, and the first two count until there are more', () => {
    expect(measuredStep([])).toBeNull();
    expect(measuredStep(records(2, 1))).toBe(100.5);
    expect(measuredStep(records(6, 0.5))).toBe(1); // keeping them counts
    const soFar = { config, records: records(20, 0.5), evaluated: 20, evaluating: 0 };
    expect(secondsLeft(parts, soFar)).toBe(0.5 * (20 * 2 + 30 + 10));
  });

  it('leaves out what of an evaluation is done, and counts no steps beyond the end', () => {
    const soFar = { config, records: records(10, 1.5), evaluated: 0, evaluating: 0.25 };
    expect(secondsLeft(parts, soFar)).toBe(30 * 2 + 30 + 3 * 10 - 0.25 * 10);
    expect(secondsLeft(parts, { ...soFar, records: records(41, 1.5), evaluated: 40, evaluating: 0 })).toBe(0);
  });

  it('counts warm-start steps by their own work, and is corrected by measured steps of the current part', () => {
    const warmed = { ...config, warmStart: { updates: 5 } }; // and at 5 the questions of the ends
    const planned = { ...parts, warm: 1 };
    const evaluations = 3 * 30 + 3 * 10;
    expect(secondsLeft(planned, notBegun(warmed))).toBe(5 * 1 + 35 * 2 + evaluations);
    const alone = { ...warmed, warmStart: { updates: config.steps } };
    expect(secondsLeft(planned, notBegun(alone))).toBe(40 * 1 + 2 * 30 + 3 * 10);
    const within = { config: warmed, records: records(4, 1.5), evaluated: 0, evaluating: 0 };
    expect(secondsLeft(planned, within)).toBe(2 * (1 * 1 + 35 * 2 + 2 * 30 + 3 * 10));
    const atBorder = { ...within, records: records(5, 1.5), evaluating: 0.5 };
    expect(secondsLeft(planned, atBorder)).toBe(2 * (35 * 2 + 1.5 * 30 + 3 * 10));
    const slowWarm = records(10, 0.5).map((one) => (one.step > 5 ? one : { ...one, step_time: 100 }));
    const after = { config: warmed, records: slowWarm, evaluated: 10, evaluating: 0 };
    expect(secondsLeft(planned, after)).toBe(0.5 * (30 * 2 + 30 + 2 * 10));
  });

  it('is written in one unit', () => {
    const words = [0.2, 44.6, 100, 5000, 3 * 3600, 4 * 86400 + 1000].map(durationWords).join(', ');
    expect(words).toBe('1 second, 45 seconds, 2 minutes, 83 minutes, 3 hours, 4 days');
  });
});
