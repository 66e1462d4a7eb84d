import { expect, it } from 'vitest';
import { decodedTogether } from '../../src/base/rows-at-once';

it.each([
  ['all where they fit', [8, 8, 64], [8, 8]],
  ['halves of a prompt’s samples, not ten and six', [8, 16, 10], [1, 8]],
  ['thirds where halves do not fit', [1, 16, 7], [1, 6]],
  ['prompts in calls of like size, not three, three and two', [8, 8, 30], [3, 8]],
  ['four and four prompts, not seven and one', [8, 8, 56], [4, 8]],
  ['one row at least', [2, 3, 1], [1, 1]],
])('decodes together %s', (_, [prompts, samples, rows], [atOnce, ofEach]) => {
  expect(decodedTogether(prompts, samples, rows)).toEqual({ prompts: atOnce, samples: ofEach });
});
