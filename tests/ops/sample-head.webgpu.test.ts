import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { defineKernel, emptyTensor, runKernel } from '../../src/gpu/kernel';
import { GUMBEL, PHILOX } from '../../src/ops/lib/philox.wgsl';
import { sampleHead, type SampledTokens } from '../../src/ops/sample-head';
import { philox4x32 } from '../../src/base/random';
import { asOn, BOTH_KINDS, onCpu, seeded } from './kernel-checks';
import { openEngineForAll } from '../fixtures/engine';
import { f32Weight, randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

const noise = defineKernel({
  name: 'noise',
  inputs: { counters: 'vec4<u32>' },
  outputs: { draws: 'vec4<u32>', gumbels: 'f32' },
  uniforms: { count: 'u32', key0: 'u32', key1: 'u32' },
  workgroupSize: [64, 1, 1],
  declarations: PHILOX + GUMBEL,
  body: `
    let i = group.x * 64u + lane;
    if (i >= uniforms.count) { return; }
    draws[i] = philox(counters[i], vec2<u32>(uniforms.key0, uniforms.key1));
    gumbels[i] = gumbel(counters[i].x);`,
});

async function runNoise(counters: Int32Array, key0: number, key1: number) {
  const count = counters.length / 4;
  const draws = emptyTensor<tf.Rank.R1>([count * 4], 'int32');
  const gumbels = emptyTensor<tf.Rank.R1>([count]);
  runKernel(noise, {
    inputs: { counters: tf.tensor1d(counters, 'int32') },
    outputs: { draws, gumbels },
    uniforms: { count, key0, key1 },
    workgroups: [Math.ceil(count / 64), 1, 1],
  });
  return {
    draws: new Uint32Array((await draws.data<'int32'>()).slice().buffer),
    gumbels: await gumbels.data(),
  };
}

describe('noise on the GPU', () => {
  it("is Philox4x32-10 to the bit, Random123's published vectors among it", async () => {
    const random = seeded('philox');
    const counters = new Uint32Array(400).map(() => random.uint32());
    counters.set([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]);
    const [key0, key1] = [0xa4093822, 0x299f31d0];
    const { draws } = await runNoise(new Int32Array(counters.buffer), key0, key1);
    expect(Array.from(draws.slice(0, 4))).toEqual([0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    const expected = new Uint32Array(4);
    for (let i = 0; i < counters.length; i += 4) {
      philox4x32(counters[i], counters[i + 1], counters[i + 2], counters[i + 3], key0, key1, expected);
      expect(draws.slice(i, i + 4)).toEqual(expected);
    }
  });

  it('is Gumbel noise to 2e-6 at both ends and between', async () => {
    const draws = [
      0, 255, 256, 0x7fffffff, 0x80000000, 0xfffffeff, 0xffffff00, 0xffffffff, 0xfff00000, 0x12345678,
    ];
    const counters = new Uint32Array(draws.length * 4);
    draws.forEach((draw, i) => (counters[4 * i] = draw));
    const { gumbels } = await runNoise(new Int32Array(counters.buffer), 0, 0);
    draws.forEach((draw, i) => {
      const u = ((draw >>> 8) + 0.5) / 16777216;
      const exact = -Math.log(-Math.log(u));
      expect(Math.abs(gumbels[i] - exact) / Math.max(1, Math.abs(exact))).toBeLessThan(2e-6);
    });
  });
});

function randomHead(name: string, rows: number, vocabulary: number, width: number) {
  const random = seeded(name);
  const head = f32Weight(randomTensor(random, [vocabulary, width]));
  const rowIds = tf.tensor1d(
    Int32Array.from({ length: rows }, (_, row) => row + 3),
    'int32',
  );
  return { h: randomTensor<tf.Rank.R2>(random, [rows, width]), head, rowIds };
}

const OPTIONS = { temperature: 0.7, seed: 5, stream: 2, position: 9 };

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  describe.each([
    [1, 5, 8],
    [3, 130, 9],
    [37, 203, 16],
  ])('sampling %i rows over %i tokens', (rows, vocabulary, width) => {
    it.each([0.7, 0])('draws as the reference at temperature %f', async (temperature) => {
      const draw = (): SampledTokens => {
        const { h, head, rowIds } = randomHead(`${rows}`, rows, vocabulary, width);
        return sampleHead(h, head, rowIds, { ...OPTIONS, temperature });
      };
      const expected = await onCpu(draw);
      const sampled = draw();
      expect(await sampled.tokens.data()).toEqual(await expected.tokens.data());
      const [mine, theirs] = [await sampled.logprobs.data(), await expected.logprobs.data()];
      mine.forEach((logprob, row) => expect(Math.abs(logprob - theirs[row])).toBeLessThan(1e-4));
    });
  });
});

describe('a draw', () => {
  it('is the same in 12 runs and another with another seed, stream or position', async () => {
    const { h, head, rowIds } = randomHead('runs', 64, 400, 8);
    const draw = async (options: Partial<typeof OPTIONS>) => {
      const { tokens, logprobs } = sampleHead(h, head, rowIds, {
        ...OPTIONS,
        temperature: 3,
        ...options,
      });
      return { tokens: await tokens.data(), logprobs: await logprobs.data() };
    };
    const first = await draw({});
    for (let run = 1; run < 12; run++) expect(await draw({})).toEqual(first);
    for (const other of [{ seed: 6 }, { stream: 3 }, { position: 10 }]) {
      expect((await draw(other)).tokens).not.toEqual(first.tokens);
    }
  });

  it('depends on the id of its row, not on the position of the row in the batch', async () => {
    const { h, head, rowIds } = randomHead('compaction', 10, 100, 8);
    const all = await sampleHead(h, head, rowIds, OPTIONS).tokens.data();
    const kept = tf.tensor1d([7, 2, 9], 'int32');
    const some = await sampleHead(tf.gather(h, kept), head, tf.gather(rowIds, kept), OPTIONS).tokens.data();
    expect(Array.from(some)).toEqual([all[7], all[2], all[9]]);
  });
});

it('repeats the stop id of an ended row and no other', async () => {
  const draw = async (newest?: number[]) => {
    const { h, head, rowIds } = randomHead('ended', 5, 130, 8);
    const stopIds = tf.tensor1d([129, 7], 'int32');
    const ended = newest && { newest: tf.tensor1d(newest, 'int32'), stopIds };
    const { tokens, logprobs } = sampleHead(h, head, rowIds, OPTIONS, ended);
    return { tokens: Array.from(await tokens.data()), logprobs: Array.from(await logprobs.data()) };
  };
  const free = await draw();
  const after = await draw([7, 129, 8, 0, 7]);
  expect(after.tokens).toEqual([7, 129, free.tokens[2], free.tokens[3], 7]);
  expect(after.logprobs).toEqual([0, 0, free.logprobs[2], free.logprobs[3], 0]);
});

it('draws each token as often as softmax says (chi-squared, 11 degrees of freedom, p > 0.001)', async () => {
  const [rows, vocabulary] = [20_000, 12];
  const logits = Float32Array.from({ length: vocabulary }, (_, v) => Math.sin(3 * v));
  const head = f32Weight(tf.tensor2d(logits, [vocabulary, 1]));
  const rowIds = tf.range(0, rows, 1, 'int32');
  const { tokens } = sampleHead(tf.ones([rows, 1]), head, rowIds, { ...OPTIONS, temperature: 0.8 });
  const counts = new Float64Array(vocabulary);
  for (const token of await tokens.data()) counts[token]++;
  const weights = Array.from(logits, (z) => Math.exp(z / 0.8));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const chiSquared = weights.reduce((sum, weight, v) => {
    const expected = (rows * weight) / total;
    return sum + (counts[v] - expected) ** 2 / expected;
  }, 0);
  expect(chiSquared).toBeLessThan(31.26);
  expect(counts[0]).toBeGreaterThan(0);
});
