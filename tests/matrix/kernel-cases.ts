/**
 * Every op there and back on small odd shapes, from the same numbers on any backend. What WebGPU gives is held against
 * wasm's reference implementations, where vitest does not run: in Firefox and in Deno.
 */
import * as tf from '@tensorflow/tfjs-core';
import { adamW, gradientNorm } from '../../src/ops/adamw';
import { attention } from '../../src/ops/attention';
import { attendNewToken, createKeyValueCache, disposeKeyValueCache } from '../../src/ops/decode-attention';
import { projectHeads } from '../../src/ops/project-heads';
import { sharedPrefixAttention } from '../../src/ops/shared-prefix-attention';
import { embedding } from '../../src/ops/embedding';
import { gatherRows } from '../../src/ops/gather-rows';
import type { Weight } from '../../src/ops/lib/weight';
import { jointLinear } from '../../src/ops/joint-linear';
import { linear } from '../../src/ops/linear';
import { rmsNorm } from '../../src/ops/rms-norm';
import { ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { sampleHead } from '../../src/ops/sample-head';
import { swiglu } from '../../src/ops/swiglu';
import { tokenLogprob } from '../../src/ops/token-logprob';
import { createRandom, type Random } from '../../src/base/random';
import { randomWeight } from '../ops/random-weight';

const [HEADS, KV, DIM, WIDE] = [4, 2, 16, 64];

export interface KernelCase {
  name: string;
  /** How far its results may be from those on wasm, relative to the largest. */
  tolerance?: number;
  run: (random: Random) => tf.Tensor[] | Promise<tf.Tensor[]>;
}

function tensor<R extends tf.Rank>(random: Random, shape: tf.ShapeMap[R], scale = 1): tf.Tensor<R> {
  const size = shape.reduce<number>((product, length) => product * length, 1);
  const values = Float32Array.from({ length: size }, () => (2 * random.uniform() - 1) * scale);
  return tf.tensor(values, shape);
}

const frozen = (random: Random, outputs: number, inputs: number): Weight =>
  randomWeight(random, 'f32', outputs, inputs).weight;

/** The value, and the gradients by all inputs for one dy. */
function thereAndBack(
  random: Random,
  f: (...inputs: tf.Tensor[]) => tf.Tensor,
  inputs: tf.Tensor[],
): tf.Tensor[] {
  const value = f(...inputs);
  return [value, ...tf.grads(f)(inputs, tensor(random, value.shape as [number]))];
}

const joint = (random: Random, segments: number[], inputs: number, rank: number) => {
  const outputs = segments.reduce((sum, width) => sum + width, 0);
  const adapter = rank > 0 && {
    a: randomWeight(random, 'f32', segments.length * rank, inputs).plain,
    b: tensor<tf.Rank.R2>(random, [outputs, rank]),
    scale: 2,
  };
  return { segments, weight: frozen(random, outputs, inputs), bias: null, adapter: adapter || null };
};

const products: KernelCase[] = (['f32', 'bf16'] as const).flatMap((format) =>
  [3, 37, 150].map((rows) => ({
    name: `linear ${format}, ${rows} rows`,
    run: (random) => {
      const { weight } = randomWeight(random, format, 75, 52);
      return thereAndBack(random, (x) => linear(x as tf.Tensor2D, weight), [tensor(random, [rows, 52])]);
    },
  })),
);

const widths = [HEADS * DIM, KV * DIM, KV * DIM];

/** With heads of that many dimensions. */
const attending = (dim: number): KernelCase[] => [
  {
    name: `attention after a shared prompt, heads of ${dim}`,
    run: (random) => {
      const branches = { samples: 3, prefixLengths: [5, 3] };
      const layout = { batch: 6, length: 7, prompts: { length: 5, branches } };
      return thereAndBack(
        random,
        (...given) => sharedPrefixAttention(...(given as [tf.Tensor3D, tf.Tensor3D, tf.Tensor3D]), layout),
        [HEADS, KV, KV].map((heads) => tensor(random, [52, heads, dim])),
      );
    },
  },
  {
    name: `attention of new tokens, heads of ${dim}`,
    ...(dim === WIDE && { tolerance: 2 ** -8 }), // keys and values are held as bf16
    run: (random) => {
      const tables = ropeTables(32, rotaryFrequencies(dim, 1e4));
      const prompt = (): tf.Tensor4D => tf.keep(tensor<tf.Rank.R4>(random, [2, 6, KV, dim]));
      const cache = createKeyValueCache({ k: prompt(), v: prompt() }, [6, 4], [0, 0, 1], 4);
      const heads = [HEADS, KV, KV].map((count) => count * dim);
      const qkv = joint(random, heads, 24, 0);
      const results = [0, 1, 2].map((token) => {
        const rotation = rotationAt(tables, Int32Array.of(6 + token, 6 + token, 4 + token));
        return attendNewToken(tensor(random, [3, 24]), qkv, cache, rotation, null);
      });
      disposeKeyValueCache(cache);
      return results;
    },
  },
];

export const kernelCases: readonly KernelCase[] = [
  ...products,
  ...[0, 3].map((rank) => ({
    name: `joint projections, rank ${rank}`,
    run: (random: Random) => {
      const projections = joint(random, [20, 12, 12], 24, rank);
      return thereAndBack(random, (x) => jointLinear(x as tf.Tensor2D, projections), [
        tensor(random, [33, 24]),
      ]);
    },
  })),
  {
    name: 'RMSNorm',
    run: (random) =>
      thereAndBack(random, (x, w) => rmsNorm(x as tf.Tensor2D, w as tf.Tensor1D, 1e-6), [
        tensor(random, [45, 50]),
        tensor(random, [50]),
      ]),
  },
  {
    name: 'SwiGLU',
    run: (random) => {
      const gateUp = joint(random, [30, 30], 20, 0);
      return thereAndBack(random, (x) => swiglu(x as tf.Tensor2D, gateUp), [tensor(random, [27, 20])]);
    },
  },
  {
    name: 'heads, rotated',
    run: (random) => {
      const tables = ropeTables(32, rotaryFrequencies(DIM, 1e4));
      const rotation = rotationAt(
        tables,
        Int32Array.from({ length: 11 }, (_, row) => 2 * row),
      );
      const shape = { heads: HEADS, kvHeads: KV, headDim: DIM };
      return projectHeads(tensor(random, [11, 24]), joint(random, widths, 24, 0), shape, rotation, null);
    },
  },
  {
    name: 'attention',
    run: (random) =>
      thereAndBack(
        random,
        (...given) => attention(...(given as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D])),
        [HEADS, KV, KV].map((heads) => tensor(random, [2, 19, heads, DIM])),
      ),
  },
  ...[DIM, WIDE].flatMap(attending),
  {
    name: 'embedding and its gradient',
    run: (random) => {
      const { plain } = randomWeight(random, 'f32', 40, 18);
      const ids = tf.tensor1d([3, 39, 3, 0, 17], 'int32');
      return [
        embedding(ids, plain),
        tf.grad((data) => embedding(ids, { ...plain, data: data as tf.Tensor2D }))(
          plain.data,
          tensor(random, [5, 18]),
        ),
      ];
    },
  },
  {
    name: 'rows taken',
    run: (random) =>
      thereAndBack(random, (x) => gatherRows(x as tf.Tensor2D, [1, 2, 7]), [tensor(random, [9, 13])]),
  },
  {
    name: 'sampling',
    run: (random) => {
      const options = { temperature: 0.8, seed: 5, stream: 2, position: 3 };
      const rows = tf.tensor1d([0, 1, 2, 3, 4, 5], 'int32');
      const { tokens, logprobs } = sampleHead(
        tensor(random, [6, 20]),
        frozen(random, 301, 20),
        rows,
        options,
      );
      return [tokens, logprobs];
    },
  },
  {
    name: 'log-probabilities of given tokens',
    run: (random) => {
      const head = frozen(random, 301, 20);
      const tokens = tf.tensor1d([0, 300, 17, 17, 255], 'int32');
      return thereAndBack(random, (h) => tokenLogprob(h as tf.Tensor2D, head, tokens, 0.7), [
        tensor(random, [5, 20]),
      ]);
    },
  },
  {
    name: 'AdamW',
    run: async (random) => {
      const vector = (): tf.Tensor1D => tf.keep(tensor<tf.Rank.R1>(random, [777]));
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
export async function runKernelCases(log: (line: string) => void): Promise<Record<string, Float32Array[]>> {
  const results: Record<string, Float32Array[]> = {};
  for (const [index, { name, run }] of kernelCases.entries()) {
    log(`kernel ${index + 1} of ${kernelCases.length}: ${name}`);
    const tensors = await run(createRandom(index + 1));
    results[name] = [];
    for (const result of tensors) results[name].push(Float32Array.from(await result.data()));
    tf.dispose(tensors);
  }
  return results;
}
