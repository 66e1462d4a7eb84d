import { expect, it } from 'vitest';
import { ladderHash } from '../../../src/app/page/ladder';
import { holdsSettings } from '../../../src/app/page/place';
import { readLadder } from '../../../src/share/ladder-seed';

it('reads the seed of its own address alone, and nobody’s guesses', () => {
  expect(readLadder(ladderHash(77))).toBe(77);
  expect(ladderHash(77)).toBe('#ladder=77');
  expect(readLadder('#ladder=77&small=stops')).toBe(77);
  expect(readLadder('#v=1&preset=ladder-12k')).toBeNull();
});

it.each(['abc', '-1', '1e99', '1000000', '7.5', ''])(
  'an address with the seed “%s” is read as a link, which refuses it',
  (seed) => {
    expect(readLadder(`#ladder=${seed}`)).toBeNull();
    expect(holdsSettings(`#ladder=${seed}`)).toBe(true);
    expect(holdsSettings('#ladder=7&small=stops')).toBe(false);
  },
);
