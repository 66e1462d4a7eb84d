import { describe, expect, it } from 'vitest';
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

describe('a random stream', () => {
  it('is the blocks of its seed and its two stream numbers, in order', () => {
    const random = createRandom(7, 1, 2);
    for (const block of [0, 1, 2]) {
      const out = new Uint32Array(4);
      philox4x32(block, 0, 2, 0, 7, 1, out);
      expect(Array.from(out, () => random.uint32())).toEqual([...out]);
    }
  });

  it('draws every integer below the bound about equally often', () => {
    const random = createRandom(3);
    const counts = [0, 0, 0, 0, 0, 0, 0];
    for (let draw = 0; draw < 70_000; draw++) counts[random.integer(7)]++;
    // Chi-squared with 6 degrees of freedom: 22.5 is the 99.9th percentile.
    const chiSquared = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    expect(chiSquared).toBeLessThan(22.5);
  });

  it('shuffles into a permutation and samples without repetition', () => {
    const random = createRandom(5);
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(random.shuffle(values).sort((a, b) => a - b)).toEqual(values);
    expect(new Set(random.sample(values, 5)).size).toBe(5);
    expect(new Set(values.map(() => String(random.shuffle([1, 2]))))).toEqual(new Set(['1,2', '2,1']));
    expect(values).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('draws normal numbers with mean 0 and variance 1', () => {
    const random = createRandom(11);
    const draws = Array.from({ length: 50_000 }, () => random.normal());
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(Math.abs(variance - 1)).toBeLessThan(0.03);
  });
});
