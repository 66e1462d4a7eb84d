import { describe, expect, it } from 'vitest';
import { decodedTogether, evaluationRows } from '../../src/base/rows-at-once';

/** 1 MB for each position of a prompt or sample. */
const shape = { layers: 1e6 / (8 * 63), kvHeads: 1, headDim: 63 };

describe('a step decodes together', () => {
  it.each([
    ['all where they fit', [8, 8, 0, 8], [8, 8]],
    ['halves of a prompt’s samples, not ten and six', [8, 16, 0, 51], [1, 8]],
    ['thirds where halves do not fit', [1, 16, 0, 73], [1, 6]],
    ['prompts in calls of like size, not three, three and two', [8, 8, 0, 17], [3, 8]],
    ['four and four prompts, not seven and one', [8, 8, 0, 9], [4, 8]],
    ['one row at least', [2, 3, 0, 512], [1, 1]],
    ['fewer prompts where these are long', [8, 8, 64, 8], [4, 8]],
    ['as many samples as fit after their prompt', [1, 16, 256, 32], [1, 8]],
    ['one row where its prompt alone is too long', [2, 3, 600, 8], [1, 1]],
  ])('%s', (_, [prompts, samples, promptTokens, newTokens], [atOnce, ofEach]) => {
    const lengths = { promptTokens, newTokens };
    expect(decodedTogether(shape, { prompts, samples, ...lengths })).toEqual({
      prompts: atOnce,
      samples: ofEach,
    });
  });
});

describe('an evaluation decodes together', () => {
  it.each([
    ['at most 64 rows', [1, 1], 64],
    ['as many as fit with their prompts', [24, 8], 8],
    ['one row at least', [300, 8], 1],
  ])('%s', (_, [promptTokens, newTokens], rows) => {
    expect(evaluationRows(shape, { promptTokens, newTokens })).toBe(rows);
  });

  it('counts new tokens as f32 where a GPU holds them in half', () => {
    const wide = { layers: 1, kvHeads: 1e6 / (8 * 64), headDim: 64 };
    expect(evaluationRows(wide, { promptTokens: 24, newTokens: 8 })).toBe(8);
  });
});
