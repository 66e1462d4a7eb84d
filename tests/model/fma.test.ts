/**
 * Tests which products of a model use FMA on wasm: all of a model with bf16 weights, none of a model with float32
 * alone. Every row of the weights picks one input. Products by the weights are therefore exact, and only the others
 * round.
 */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import { createRandom } from '../../src/base/random';
import { openEngine } from '../../src/gpu/engine';
import type * as Kernels from '../../src/gpu/wasm-kernels';
import { buildWeights, type TensorSupply } from '../../src/model/files/build-weights';
import { newTokenBlock, sequenceBlock } from '../../src/model/transformer';
import { wholeSequences } from '../../src/ops/attention';
import { jointLinear } from '../../src/ops/joint-linear';
import { createKeyValueCache, layOutPrompts } from '../../src/ops/decode-attention';
import type { Weight } from '../../src/ops/lib/weight';
import { ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { f32Weight, randomTensor } from '../ops/random-tensors';
import { tinyConfig } from './tiny';

/** Names of the kernels that ran. */
const called = vi.hoisted(() => new Set<string>());
vi.mock('../../src/gpu/wasm-kernels', async (original) => {
  const kernels = await original<typeof Kernels>();
  const call: typeof Kernels.call = (kernel, numbers) => {
    called.add(kernel);
    kernels.call(kernel, numbers);
  };
  return { ...kernels, call };
});

type Format = Weight['format'];
const config = { ...tinyConfig, layers: 1, attentionBias: false, maxPositions: 32 };
const { hiddenSize, headDim, kvHeads } = config;

function picking(outputs: number, inputs: number, format: Format): Weight {
  const one = Float32Array.from({ length: outputs * inputs }, (_, at) =>
    at % inputs === (7 * Math.floor(at / inputs) + 3) % inputs ? 1 : 0,
  );
  if (format === 'f32') return f32Weight(tf.tensor2d(one, [outputs, inputs]));
  const halves = Uint16Array.from({ length: 2 * Math.ceil(one.length / 2) }, (_, at) =>
    one[at] ? 0x3f80 : 0,
  );
  return { format, data: tf.tensor1d(new Int32Array(halves.buffer), 'int32'), outputs, inputs };
}

const supplyOf = (format: Format): TensorSupply => ({
  matrix: (parts) => {
    const outputs = parts.reduce((sum, { shape }) => sum + shape[0], 0);
    return Promise.resolve(picking(outputs, parts[0].shape[1], format));
  },
  vector: (parts) =>
    Promise.resolve(tf.ones<tf.Rank.R1>([parts.reduce((sum, { shape }) => sum + shape[0], 0)])),
});

/** Operations with products other than those by the weights, and their results. */
const scenes: Record<string, (format: Format) => Promise<tf.Tensor[]>> = {
  'an adapter, forward and back': (format) => {
    const random = createRandom(1);
    const [rows, inputs, rank, segments] = [9, 12, 5, [6, 7]];
    const inputTensors = [
      [rows, inputs],
      [10, inputs],
      [13, rank],
      [rows, 13],
    ].map((shape) => randomTensor<tf.Rank.R2>(random, shape as [number, number]));
    const dy = inputTensors.pop()!;
    const project = (x: tf.Tensor, a: tf.Tensor, b: tf.Tensor): tf.Tensor => {
      const adapter = { a: f32Weight(a as tf.Tensor2D, true), b: b as tf.Tensor2D, scale: 2 };
      const weight = picking(13, inputs, format);
      return jointLinear(x as tf.Tensor2D, { segments, weight, bias: null, adapter });
    };
    const { value, grads } = tf.valueAndGrads(project)(inputTensors, dy);
    return Promise.resolve([value, ...grads]);
  },
  'attention of sequences': async (format) => [await whole(format, wholeSequences(2, 6), 12)],
  'attention of branches': async (format) => {
    const prompts = { length: 5, branches: { samples: 2, prefixLengths: [5] } };
    return [await whole(format, { batch: 2, length: 4, prompts }, 13)];
  },
  'attention of a new token': async (format) => {
    const random = createRandom(3);
    const [k, v] = [1, 2].map(() => randomTensor<tf.Rank.R4>(random, [1, 7, kvHeads, headDim], 2));
    const cache = createKeyValueCache(layOutPrompts({ k, v }), [7], [0, 0], 2);
    const model = { config, weights: await buildWeights(config, supplyOf(format)), tables: tables() };
    const rotation = rotationAt(model.tables, Int32Array.of(7, 7));
    const x = randomTensor<tf.Rank.R2>(random, [2, hiddenSize], 2);
    return [newTokenBlock(model, 0, x, cache, rotation)];
  },
};

const tables = () => ropeTables(32, rotaryFrequencies(headDim, 100));

async function whole(
  format: Format,
  layout: Parameters<typeof sequenceBlock>[3],
  rows: number,
): Promise<tf.Tensor> {
  const model = { config, weights: await buildWeights(config, supplyOf(format)), tables: tables() };
  const rotation = rotationAt(
    model.tables,
    Int32Array.from({ length: rows }, (_, row) => row),
  );
  const x = randomTensor<tf.Rank.R2>(createRandom(2), [rows, hiddenSize], 2);
  return sequenceBlock(model, 0, x, layout, rotation);
}

it.each(
  Object.keys(scenes).flatMap((name) => (['bf16', 'f32'] as const).map((format) => ({ name, format }))),
)('$name beside $format', async ({ name, format }) => {
  const found: Float32Array[][] = [];
  let hasFma = false;
  for (const fma of [true, false]) {
    const engine = await openEngine({ backend: 'wasm', fma });
    hasFma ||= engine.fma;
    called.clear();
    found.push((await scenes[name](format)).map((tensor) => tensor.dataSync<'float32'>().slice()));
    engine.dispose();
    const products = [...called].filter((kernel) => /product/i.test(kernel));
    expect(products).toEqual([format === 'bf16' && engine.fma ? 'fmaProduct' : 'product']);
  }
  const [fused, plain] = found;
  for (const [i, values] of fused.entries()) {
    if (format === 'bf16' && hasFma) expect(values).not.toEqual(plain[i]);
    else expect(values).toEqual(plain[i]);
    values.forEach((value, at) => expect(Math.abs(value - plain[i][at])).toBeLessThan(1e-4));
  }
});
