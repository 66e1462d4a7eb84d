import { describe, expect, it } from 'vitest';
import {
  decodedTogether,
  evaluationRows,
  keptTogether,
  keptTogetherOnCpu,
} from '../../src/base/rows-at-once';

/** A shape with a KV cache of 1 MB per position. */
const shape = { layers: 1e6 / (8 * 63), kvHeads: 1, headDim: 63 };

it.each([
  ['everything if it fits', [8, 8, 0, 8], [8, 8]],
  ['8 and 8 samples of a prompt, not 10 and 6', [8, 16, 0, 51], [1, 8]],
  ['thirds of the samples if halves do not fit', [1, 16, 0, 73], [1, 6]],
  ['4 and 4 prompts, not 7 and 1', [8, 8, 0, 9], [4, 8]],
  ['as many samples as fit after their prompt', [1, 16, 256, 32], [1, 8]],
  ['one row if its prompt alone exceeds the limit', [2, 3, 600, 8], [1, 1]],
])(
  'a step decodes together %s',
  (_, [prompts, samples, promptTokens, newTokens], [promptsTogether, samplesTogether]) => {
    const together = decodedTogether(shape, { prompts, samples, promptTokens, newTokens });
    expect([together.prompts, together.samples]).toEqual([promptsTogether, samplesTogether]);
  },
);

describe('an evaluation decodes together', () => {
  it.each([
    ['as many as fit with their prompts', [24, 8], 8],
    ['at least one row', [300, 8], 1],
  ])('%s', (_, [promptTokens, newTokens], rows) => {
    expect(evaluationRows(shape, { promptTokens, newTokens })).toBe(rows);
  });

  it('counts new tokens as f32 even if a GPU holds them as bf16', () => {
    const wide = { layers: 1, kvHeads: 1e6 / (8 * 64), headDim: 64 };
    expect(evaluationRows(wide, { promptTokens: 24, newTokens: 8 })).toBe(8);
  });
});

describe('a micro-batch runs forward and backward together', () => {
  const block = { layers: 1, hiddenSize: 1000, heads: 10, kvHeads: 10, headDim: 100, intermediateSize: 4000 };

  // 16 MB for 64 tokens, of 400 MB.
  it.each([
    ['all sequences if they fit', 64, [16, 8], 16],
    ['half of the sequences if all do not fit', 64, [32, 8], 16],
    ['fewer long sequences', 65, [32, 8], 8],
    ['equal parts of a prompt', 129, [24, 12], 6],
    ['at least one sequence', 6400, [4, 2], 1],
  ])('on a GPU %s', (_, longest, [microBatch, samplesPerPrompt], together) => {
    const shape = { layers: 0, hiddenSize: 62_500 };
    expect(keptTogether(shape, longest, { microBatch, samplesPerPrompt })).toBe(together);
  });

  // 88 kB for a token with its tape, and 8 kB for its inputs alone, of 900 MB.
  it.each([
    ['all sequences if their tapes fit', 10_227, 100, [16, 8], 16],
    ['one prompt if they do not', 10_228, 100, [16, 8], 8],
    ['as on a GPU if the inputs of a prompt do not fit', 10_228, 15_000, [16, 8], 2],
  ])('on the CPU %s', (_, tokens, longest, [microBatch, samplesPerPrompt], together) => {
    expect(keptTogetherOnCpu(block, tokens, longest, { microBatch, samplesPerPrompt })).toBe(together);
  });
});
