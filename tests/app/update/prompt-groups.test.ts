import { expect, it } from 'vitest';
import { groupToShow, placeIn } from '../../../src/app/update/prompt-groups';
import type { Rollout } from '../../../src/run/record/rollout-record';

/** One sample of a prompt: its advantage, and the change of its only token. */
const sample = (group: number, advantage: number, change: number | null): Rollout =>
  ({
    group,
    advantage,
    reward: { total: advantage },
    ...(change !== null && {
      byToken: { texts: ['box'], advantages: [advantage], before: [-1], after: [-1 + change] },
    }),
  }) as unknown as Rollout;

it('a sample is found in its batch, also in one that leaves samples out', () => {
  const batch = { step: 1, groups: [7, 7, 9], rewards: [], tokens: [], advantages: [] };
  const placeOf = (group: number, at: number, samples?: number[]) =>
    placeIn({ ...batch, ...(samples && { samples }) }, { ...sample(group, 1, null), sample: at });
  expect([placeOf(7, 1), placeOf(9, 0), placeOf(9, 1)]).toEqual([1, 2, -1]);
  expect([placeOf(7, 2, [0, 2, 1]), placeOf(7, 1, [0, 2, 1])]).toEqual([1, -1]);
});

it('of one step a prompt with different rewards comes first, preferably with figures per token', () => {
  const equal = [sample(0, 1, 0.5), sample(0, 1, 0.5)];
  const plain = [sample(1, 1, null), sample(1, -1, null)];
  expect(groupToShow([...equal, ...plain])).toBe(1);
  expect(groupToShow([...equal, ...plain, sample(2, 1, 0.5), sample(2, -1, 0.5)])).toBe(2);
});
