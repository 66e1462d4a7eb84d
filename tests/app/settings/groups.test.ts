import { describe, expect, it } from 'vitest';
import {
  choiceSentences,
  nearestStop,
  ordersFor,
  settingGroups,
  sliderStops,
} from '../../../src/app/settings/groups';
import { formFields } from '../../../src/run/config/check-config';

const grouped = settingGroups.flatMap(({ paths }) => paths);
const field = (path: string) => formFields.find((one) => one.path === path);

describe('the groups of the form', () => {
  it('hold fields of the form, none twice, and leave some for Advanced', () => {
    expect(grouped.filter((path) => field(path) === undefined)).toEqual([]);
    expect(new Set(grouped).size).toBe(grouped.length);
    expect(formFields.length).toBeGreaterThan(grouped.length);
  });

  it('have a sentence for each algorithm and each reward, and for no other', () => {
    for (const path of ['algorithm.name', 'reward.preset']) {
      expect(Object.keys(choiceSentences[path]).sort()).toEqual(Object.keys(field(path)!.names!).sort());
    }
  });
});

it('other stories are asked for the orders that they have', () => {
  expect(ordersFor('tomi', [1, 2, 3])).toEqual([1, 2]);
  expect(ordersFor('tomi', [3, 4])).toEqual([0, 1, 2]);
  expect(ordersFor('hitom', [1, 2, 3])).toEqual([1, 2, 3]);
});

describe('a slider', () => {
  it('moves up through values that its field may have', () => {
    for (const [path, stops] of Object.entries(sliderStops)) {
      const [low, high] = field(path)!.range!;
      expect(stops, path).toEqual([...stops].sort((a, b) => a - b));
      expect([stops[0] >= low, stops.at(-1)! <= high], path).toEqual([true, true]);
      expect(grouped, path).toContain(path);
    }
  });

  it('stands at the stop next to a value between two of them', () => {
    expect([0, 0.04, 0.82, 7].map((value) => nearestStop([0, 0.5, 0.8, 1], value))).toEqual([0, 0, 2, 3]);
  });
});
