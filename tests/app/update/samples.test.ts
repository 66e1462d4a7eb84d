import { expect, it } from 'vitest';
import { promptToShow } from '../../../src/app/update/samples-panel';
import { placeIn } from '../../../src/app/update/update-panel';
import { rollout } from '../../share/run-content';

it('a sample is found in its batch, also in one that leaves samples out', () => {
  const batch = { step: 1, groups: [7, 7, 9], rewards: [], tokens: [], advantages: [] };
  const placeOf = (group: number, sample: number, samples?: number[]) =>
    placeIn({ ...batch, ...(samples && { samples }) }, { ...rollout, group, sample });
  expect([placeOf(7, 1), placeOf(9, 0), placeOf(9, 1)]).toEqual([1, 2, -1]);
  expect([placeOf(7, 2, [0, 2, 1]), placeOf(7, 1, [0, 2, 1])]).toEqual([1, -1]);
});

it('the first prompt with different rewards is shown first, or else the first one', () => {
  const earning = (...totals: number[]) =>
    totals.map((total) => ({ ...rollout, reward: { ...rollout.reward, total } }));
  expect(promptToShow([earning(1, 1), earning(1, -1), earning(2, 3)])).toBe(1);
  expect(promptToShow([earning(1, 1), earning(2, 2)])).toBe(0);
});
