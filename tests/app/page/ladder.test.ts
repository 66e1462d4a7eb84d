import { expect, it } from 'vitest';
import { ladderHash, readLadder } from '../../../src/app/page/ladder';

it('reads the seed of its own address alone, and nobody’s guesses', () => {
  expect(readLadder(ladderHash(77))).toBe(77);
  expect(ladderHash(77)).toBe('#ladder=77');
  expect(readLadder('#ladder=77&small=stops')).toBe(77);
  expect(readLadder('#v=1&preset=ladder-12k')).toBeNull();
});
