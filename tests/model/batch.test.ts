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

it('batches are filled up to their limit of rows, with the longest sequences first', () => {
  const sequences = [8, 4, 8, 8, 4].map((length, token) => new Array<number>(length).fill(token));
  const prompts = sequences.map(() => 2);
  const orders = [16, 15].map((tokenBudget) =>
    planDeviceBatches(sequences, prompts, { tokenBudget, bucket: 4, withoutPadding: false }).map(
      ({ order }) => order,
    ),
  );
  expect(orders).toEqual([
    [[0, 2], [3, 1], [4]],
    [[0], [2], [3], [1, 4]],
  ]);
});
