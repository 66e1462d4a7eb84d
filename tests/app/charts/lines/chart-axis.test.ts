import { describe, expect, it } from 'vitest';
import { axisOf, canRunAlong, placeOfStep, placesOf } from '../../../../src/app/charts/lines/chart-axis';
import type { StepRecord } from '../../../../src/run/record/events';

const records: StepRecord[] = [1, 2, 3].map((step) => ({
  step,
  num_tokens: 1000 * step,
  step_time: 20 * step,
  'time/store': 5,
}));
const shorter = records.slice(0, 1);

describe('the axis of the charts', () => {
  it('runs along steps, the tokens so far, or the time of the steps so far, keeping included', () => {
    expect(placesOf(records, 'step')).toEqual([1, 2, 3]);
    expect(placesOf(records, 'tokens')).toEqual([1000, 2000, 3000]);
    expect(placesOf(records, 'time')).toEqual([25, 70, 135]);
    expect(placesOf(records, 'time')).toBe(placesOf(records, 'time'));
  });

  it('has every step at its place and back, an evaluation before the first step at its beginning', () => {
    const axis = axisOf('time', [records], 150);
    expect([0, 1, 3, 7].map((step) => axis.placeOf(step))).toEqual([0, 25, 135, 135]);
    expect([0, 25, 69, 135].map((place) => axis.stepAt(place))).toEqual([0, 1, 1, 3]);
    expect(axis.length).toBe(135);
    expect(axis.words(135)).toBe('2 min 15 s');
    expect(placeOfStep(records, 'tokens', 2)).toBe(2000);
    expect(axisOf('step', [records], 150)).toMatchObject({ length: 150, name: 'step' });
  });

  it('ends where the longest of several runs does', () => {
    expect(axisOf('tokens', [shorter, records], 150).length).toBe(3000);
    expect(axisOf('tokens', [records], 150).words(12_300)).toBe('12K tokens');
  });

  it('is not to be had of runs whose records do not say it', () => {
    const silent = [{ step: 1, reward: 2 }];
    expect(canRunAlong('time', [records])).toBe(true);
    expect(canRunAlong('time', [records, silent])).toBe(false);
    expect(canRunAlong('tokens', [silent])).toBe(false);
    expect(canRunAlong('step', [silent])).toBe(true);
  });
});
