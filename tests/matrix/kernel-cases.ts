/**
 * Every op, forward and backward, on small odd shapes, with the same numbers on any backend. Compares WebGPU with
 * wasm in a browser that cannot run vitest: Firefox.
 */
import * as tf from '@tensorflow/tfjs-core';
import { createRandom, type Random } from '../../src/base/random';
import { adamW, gradientNorm } from '../../src/ops/adamw';
import { sampleHead } from '../../src/ops/sample-head';
import { otherCases, productCases, softmaxCases } from '../ops/cases';
import { decoded, thereAndBack } from '../ops/op-cases';
import { randomTensor, randomWeight } from '../ops/random-tensors';

export interface KernelCase {
  name: string;
  /** Largest allowed difference from the results on wasm, relative to the largest result. */
  tolerance?: number;
  run: (random: Random) => tf.Tensor[] | Promise<tf.Tensor[]>;
}

const WIDE = 64;

export const kernelCases: readonly KernelCase[] = [
  ...[...productCases, ...otherCases, ...softmaxCases].map(([name, draw]) => ({
    name,
    run: (random: Random) => thereAndBack(draw(random), random),
  })),
  ...[16, WIDE].map((dim) => ({
    name: `attention of new tokens, heads of ${dim}`,
    // Keys and values are held as bf16, and not on wasm: with larger ones a rounded key would move its weight by more.
    ...(dim === WIDE && { tolerance: 2 ** -8 }),
    run: (random: Random) =>
      decoded(random, {
        ...{ prefixLengths: [6, 4], promptOf: [0, 0, 1], heads: 4, kvHeads: 2, headDim: dim },
        ...{ steps: 2, alive: [2, 0], isNormed: false, spread: 1 },
      }),
  })),
  {
    name: 'sampling',
    run: (random) => {
      const options = { temperature: 0.8, seed: 5, stream: 2, position: 3 };
      const head = randomWeight(random, 'f32', 301, 20);
      const h = randomTensor<tf.Rank.R2>(random, [6, 20]);
      const { tokens, logprobs } = sampleHead(h, head, tf.range(0, 6, 1, 'int32'), options);
      return [tokens, logprobs];
    },
  },
  {
    name: 'AdamW',
    run: async (random) => {
      const vector = (): tf.Tensor1D => tf.keep(randomTensor<tf.Rank.R1>(random, [777]));
      const state = { parameters: vector(), moment1: vector(), moment2: tf.keep(tf.abs(vector())) };
      const gradient = vector();
      const norm = await gradientNorm(gradient);
      const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1 };
      adamW(state, gradient, { ...settings, update: 3, gradientScale: 0.5 });
      return [state.parameters, state.moment1, state.moment2, tf.scalar(norm)];
    },
  },
];

/** All results by the case's name, each as its tensors' values. */
export async function runKernelCases(): Promise<Record<string, Float32Array[]>> {
  const results: Record<string, Float32Array[]> = {};
  for (const [index, { name, run }] of kernelCases.entries()) {
    console.log(`kernel ${index + 1} of ${kernelCases.length}: ${name}`);
    const tensors = await run(createRandom(index + 1));
    results[name] = [];
    for (const result of tensors) results[name].push(Float32Array.from(await result.data()));
    tf.dispose(tensors);
  }
  return results;
}
