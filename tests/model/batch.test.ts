/** `golden-policy.ts` and `training.test.ts` test the tokens, rows and shared prompts of batches by their results. */
import { expect, it } from 'vitest';
import { planDeviceBatches } from '../../src/model/batch';

it('batches are filled up to their limit of rows, longest first, and have fewer without padding', () => {
  const sequences = [8, 4, 8, 8, 4].map((length, token) => new Array<number>(length).fill(token));
  const plan = (tokenBudget: number, withoutPadding = false) =>
    planDeviceBatches(sequences, [2, 2, 2, 2, 2], { tokenBudget, bucket: 4, withoutPadding });
  expect(plan(16).map(({ order }) => order)).toEqual([[0, 2], [3, 1], [4]]);
  expect(plan(15).map(({ order }) => order)).toEqual([[0], [2], [3], [1, 4]]);
  expect(plan(16, true)[1].ids.length).toBeLessThan(plan(16)[1].ids.length);
});
