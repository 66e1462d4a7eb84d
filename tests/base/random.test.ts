import { expect, it } from 'vitest';
import { createRandom, philox4x32 } from '../../src/base/random';

// From the file kat_vectors of Random123: philox4x32, 10 rounds.
const ones = 0xffffffff;
type Words = [number, number, number, number];
it.each<[counter: Words, key: [number, number], block: Words]>([
  [[0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]], // prettier-ignore
  [[ones, ones, ones, ones], [ones, ones], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]], // prettier-ignore
  [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]], // prettier-ignore
])('Philox4x32-10 of %j equals the published block', (counter, key, block) => {
  const out = new Uint32Array(4);
  philox4x32(...counter, ...key, out);
  expect([...out]).toEqual(block);
});

it('a random stream is the blocks of its seed and its two stream numbers, in order', () => {
  const random = createRandom(7, 1, 2);
  for (const block of [0, 1, 2]) {
    const out = new Uint32Array(4);
    philox4x32(block, 0, 2, 0, 7, 1, out);
    expect(Array.from(out, () => random.uint32())).toEqual([...out]);
  }
});
