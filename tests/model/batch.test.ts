/** `golden-policy.ts` and `training.test.ts` test the tokens, rows and shared prompts of batches by their results. */
import { expect, it } from 'vitest';
import { planDeviceBatches } from '../../src/model/batch';

it('a batch without padding has fewer rows', () => {
  const sequences = [
    [1, 2, 3, 10, 11, 12],
    [1, 2, 3, 13],
    [4, 5, 14, 15],
  ];
  const rows = [true, false].map(
    (withoutPadding) =>
      planDeviceBatches(sequences, [3, 3, 2], { tokenBudget: 1000, bucket: 4, withoutPadding })[0].ids.length,
  );
  expect(rows[0]).toBeLessThan(rows[1]);
});

it('a batch is filled up to its limit of rows', () => {
  const sequences = [3, 4, 5, 6, 7].map((token) => new Array<number>(8).fill(token));
  const prompts = sequences.map(() => 2);
  const sizes = [16, 15].map((tokenBudget) =>
    planDeviceBatches(sequences, prompts, { tokenBudget, bucket: 4, withoutPadding: false }).map(
      ({ order }) => order.length,
    ),
  );
  expect(sizes).toEqual([
    [2, 2, 1],
    [1, 1, 1, 1, 1],
  ]);
});
