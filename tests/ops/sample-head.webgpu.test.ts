import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { defineKernel, emptyTensor, runKernel } from '../../src/gpu/kernel';
import { GUMBEL, PHILOX } from '../../src/ops/lib/philox.wgsl';
import { sampleHead } from '../../src/ops/sample-head';
import { philox4x32 } from '../../src/base/random';
import {
  asOn,
  BOTH_KINDS,
  expectDraws,
  expectEnded,
  HEADS,
  randomHead,
  SAMPLING,
  seeded,
} from './kernel-checks';
import { openEngineForAll } from '../fixtures/engine';

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

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);
  it.each(HEADS)('draws for %i rows over %i tokens as the reference', expectDraws);
});

it('draws the same tokens in 12 runs', async () => {
  const { h, head, rowIds } = randomHead('runs', 64, 400, 8);
  const draw = async () => {
    const { tokens, logprobs } = sampleHead(h, head, rowIds, { ...SAMPLING, temperature: 3 });
    return { tokens: await tokens.data(), logprobs: await logprobs.data() };
  };
  const first = await draw();
  for (let run = 1; run < 12; run++) expect(await draw()).toEqual(first);
});

it('repeats the stop id of an ended row and no other', expectEnded);
