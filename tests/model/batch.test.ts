/** Micro-batches without padding have the same sequences in the same layout. */
import { describe, expect, it } from 'vitest';
import { planDeviceBatches, type DeviceBatch } from '../../src/model/batch';

const plan = (sequences: number[][], prompts: number[], withoutPadding: boolean): DeviceBatch[] =>
  planDeviceBatches(sequences, prompts, { tokenBudget: 1000, bucket: 4, withoutPadding });

const sharing: [number[][], number[]] = [
  [
    [1, 2, 3, 10, 11, 12],
    [1, 2, 3, 13],
    [4, 5, 14, 15],
    [4, 5, 16, 17, 18],
  ],
  [3, 3, 2, 2],
];
const apart: [number[][], number[]] = [
  [
    [1, 2, 3],
    [4, 5, 6, 7, 8, 9],
  ],
  [1, 2],
];

describe.each([
  ['samples that share prompts', sharing],
  ['sequences apart', apart],
])('%s, without padding,', (_, [sequences, prompts]) => {
  const [padded] = plan(sequences, prompts, false);
  const [bare] = plan(sequences, prompts, true);
  const places = bare.layout.places!;

  it('have fewer rows with the same tokens, positions and order', () => {
    expect(places.length).toBeLessThan(padded.ids.length);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect([...bare.ids]).toEqual(places.map((place) => padded.ids[place]));
    expect([...bare.positions]).toEqual(places.map((place) => padded.positions[place]));
  });

  it('predict the same tokens from the same rows', () => {
    expect(bare.responseTokens).toEqual(padded.responseTokens);
    expect(bare.responseRows.map((row) => places[row])).toEqual(padded.responseRows);
  });

  it('keep all rows that predict a response token or to which one attends', () => {
    const present = new Set(places);
    const { prompts: shared } = padded.layout;
    const promptRows = shared ? shared.length * shared.branches.prefixLengths.length : 0;
    for (const row of padded.responseRows) {
      const start = promptRows + Math.floor((row - promptRows) / padded.layout.length) * padded.layout.length;
      for (let before = start; before <= row; before++) expect(present.has(before)).toBe(true);
    }
    shared?.branches.prefixLengths.forEach((length, group) => {
      for (let t = 0; t < length; t++) expect(present.has(group * shared.length + t)).toBe(true);
    });
  });
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
