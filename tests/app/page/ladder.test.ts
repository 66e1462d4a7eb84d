import { expect, it } from 'vitest';
import { ladderHash, readLadder } from '../../../src/app/page/ladder';

it('reads the seed and the guesses of its own address alone', () => {
  const sent = { seed: 77, guesses: { small: 'stops', large: 'keeps' } } as const;
  expect(readLadder(ladderHash(sent.seed, sent.guesses))).toEqual(sent);
  expect(readLadder('#ladder=77&small=wins')).toEqual({ seed: 77, guesses: {} });
  expect(readLadder('#v=1&preset=ladder-12k')).toBeNull();
});
