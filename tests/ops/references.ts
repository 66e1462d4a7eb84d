/**
 * The reference of each op: its definition in tfjs ops, whose gradients are tfjs's own. They run on tfjs's CPU backend and
 * are the oracle of the kernels.
 */
import * as tf from '@tensorflow/tfjs-core';
import { philox4x32 } from '../../src/base/random';
import { toBfloat16, toFloat32 } from '../../src/model/files/half-floats';
import type { AdamWSettings, AdamWState } from '../../src/ops/adamw';
import type { DecodeAttention, KeyValueCache } from '../../src/ops/decode-attention/cache';
import type { JointProjection } from '../../src/ops/joint-linear';
import type { Weight } from '../../src/ops/lib/weight';
import type { projectHeads } from '../../src/ops/project-heads';
import type { Rotation } from '../../src/ops/rope';
import type { sampleHead } from '../../src/ops/sample-head';
import '../../src/ops/sample-head'; // registers the op
import { SAMPLING_KEY } from '../../src/ops/sample-head/sampling';
import { paddedRows, type BranchLayout } from '../../src/ops/attention';

/** [outputs, inputs] float32 */
function matrixOf(weight: Weight): tf.Tensor2D {
  const { format, data, outputs, inputs } = weight;
  if (format === 'f32') return data;
  const halves = new Uint8Array(data.dataSync<'int32'>().slice().buffer).subarray(0, 2 * outputs * inputs);
  return tf.tensor2d(toFloat32(halves, 'BF16'), [outputs, inputs]);
}

const timesTransposed = (x: tf.Tensor2D, matrix: tf.Tensor2D): tf.Tensor2D =>
  tf.matMul(x, matrix, false, true);

/** y = x Wᵀ + bias + residual + scale * (x Aᵀ) Bᵀ, where each projection has its rows of A and B. */
function jointLinear(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  const { segments, weight, bias, adapter } = joint;
  let y = timesTransposed(x, matrixOf(weight));
  if (bias) y = tf.add(y, bias);
  if (residual) y = tf.add(y, residual);
  if (!adapter) return y;
  // tfjs has no gradient of a split into one part
  const split = (matrix: tf.Tensor2D, sizes: number[]): tf.Tensor2D[] =>
    sizes.length === 1 ? [matrix] : tf.split(matrix, sizes);
  const { data } = adapter.a;
  const inner = split(data, Array<number>(segments.length).fill(data.shape[0] / segments.length));
  const outer = split(adapter.b, [...segments]);
  const low = inner.map((a, i) => timesTransposed(timesTransposed(x, a), outer[i]));
  return tf.add(y, tf.mul(tf.concat(low, 1), adapter.scale));
}

const linearParts = (x: tf.Tensor2D, joint: JointProjection): tf.Tensor2D[] =>
  tf.split(jointLinear(x, joint), [...joint.segments], 1);

function rmsNorm(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  const inverse = tf.rsqrt(tf.add(tf.mean(tf.mul(x, x), 1, true), epsilon)); // [rows, 1]
  return tf.mul(tf.mul(x, inverse), weight);
}

function swiglu(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  const [gate, up] = linearParts(x, gateUp);
  return tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
}

/** x * cos + (x J) * sin, where J takes (first, second) to (-second, first). */
function rope(x: tf.Tensor3D, { tables, positions }: Rotation): tf.Tensor3D {
  const turns = tf.split(tf.gather(tables.angles, positions), 2, 2);
  const [cos, sin] = turns.map((turn) => tf.reshape(tf.concat([turn, turn], 1), [-1, 1, x.shape[2]]));
  const [first, second] = tf.split(x, 2, 2);
  return tf.add(tf.mul(x, cos), tf.mul(tf.concat([tf.neg(second), first], 2), sin));
}

/** @param z [rows, vocabulary] */
function statisticsOf(z: tf.Tensor2D, tokens: tf.Tensor1D): tf.Tensor2D {
  const logProbabilities = tf.logSoftmax(z);
  const chosen = tf.sum(tf.mul(logProbabilities, tf.oneHot(tokens, z.shape[1])), 1);
  const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logProbabilities), logProbabilities), 1));
  return tf.stack([chosen, entropy]) as tf.Tensor2D;
}

const tokenLogprob = (h: tf.Tensor2D, head: Weight, tokens: tf.Tensor1D, temperature: number): tf.Tensor2D =>
  statisticsOf(tf.mul(timesTransposed(h, matrixOf(head)), 1 / temperature), tokens);

/**
 * Softmax attention of all rows over the keys that `mask` allows. Head h reads key/value head floor(h / shared).
 *
 * @param q [batch, rows, heads, headDim] @param k, v [batch, keys, kvHeads, headDim]
 * @param mask [batch or 1, rows, keys]: 0, or -1e9 where a row does not attend
 */
function attend(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D, mask: tf.Tensor3D): tf.Tensor4D {
  const [, , heads, headDim] = q.shape;
  const shared = heads / k.shape[2];
  const keyHeads = Array.from({ length: heads }, (_, head) => Math.floor(head / shared));
  const headsFirst = (x: tf.Tensor4D): tf.Tensor4D => tf.transpose(x, [0, 2, 1, 3]);
  const repeated = (x: tf.Tensor4D): tf.Tensor4D => headsFirst(tf.gather(x, keyHeads, 2));
  const scores = tf.mul(tf.matMul(headsFirst(q), repeated(k), false, true), 1 / Math.sqrt(headDim));
  const weights: tf.Tensor4D = tf.softmax(tf.add(scores, tf.expandDims(mask, 1)));
  return headsFirst(tf.matMul(weights, repeated(v)));
}

function maskOf(rows: readonly number[], attends: (row: number, key: number) => boolean): tf.Tensor3D {
  const mask = rows.flatMap((row) => rows.map((key) => (attends(row, key) ? 0 : -1e9)));
  return tf.tensor3d(Float32Array.from(mask), [1, rows.length, rows.length]);
}

/** Attention of all rows at once, under a mask of the layout. */
function attention(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places: readonly number[] = [...Array(paddedRows(layout)).keys()],
): tf.Tensor3D {
  const { length, prompts } = layout;
  const { samples, prefixLengths } = prompts.branches;
  const promptRows = prefixLengths.length * prompts.length;
  const promptOf = (row: number): number => Math.floor(row / prompts.length);
  const branchOf = (row: number): number => Math.floor((row - promptRows) / length);
  const attends = (row: number, key: number): boolean => {
    if (row < promptRows) return key <= row && promptOf(key) === promptOf(row);
    if (key >= promptRows) return key <= row && branchOf(key) === branchOf(row);
    const group = Math.floor(branchOf(row) / samples);
    return promptOf(key) === group && key - group * prompts.length < prefixLengths[group];
  };
  const [queries, keys, values] = [q, k, v].map((rows): tf.Tensor4D => tf.expandDims(rows));
  return tf.squeeze(attend(queries, keys, values, maskOf(places, attends)), [0]);
}

interface ReferenceKeyValueCache extends KeyValueCache {
  /** [rows, length, kvHeads, headDim]: each row's prompt and appended tokens */
  keys: tf.Tensor4D;
  values: tf.Tensor4D;
  /** [rows, 1, prefix length]: 0 on the prompt, -1e9 on its padding */
  padding: tf.Tensor3D;
}

const heads: typeof projectHeads = (x, qkv, { headDim }, rotation, norms) => {
  const [q, k, v] = linearParts(x, qkv).map((part) => tf.reshape<tf.Rank.R2>(part, [-1, headDim]));
  const each = (rows: tf.Tensor2D): tf.Tensor3D => tf.reshape(rows, [x.shape[0], -1, headDim]);
  const normed = (rows: tf.Tensor2D, norm?: tf.Tensor1D): tf.Tensor2D =>
    norm ? rmsNorm(rows, norm, norms!.epsilon) : rows;
  return [rope(each(normed(q, norms?.q)), rotation), rope(each(normed(k, norms?.k)), rotation), each(v)];
};

function replaced<T extends tf.Tensor>(tensor: T, by: (tensor: T) => T): T {
  const next = tf.keep(tf.tidy(() => by(tensor)));
  tensor.dispose();
  return next;
}

/** Keys or values of wide heads as the kernel stores them for later tokens: rounded to bf16. */
function stored(x: tf.Tensor3D): tf.Tensor3D {
  if (x.shape[2] < 64) return x;
  const { buffer } = toBfloat16(x.dataSync<'float32'>());
  return tf.tensor3d(toFloat32(new Uint8Array(buffer), 'BF16'), x.shape);
}

/** Stores complete keys and values for every row, and concatenates new ones. */
const decodeAttention: DecodeAttention = {
  layOut: (prompt) => prompt,
  createCache({ k, v }, prefixLengths, promptOf, capacity) {
    const [, length, kvHeads, headDim] = k.shape;
    const padding = promptOf.map((index) => [
      Array.from({ length }, (_, t) => (t < prefixLengths[index] ? 0 : -1e9)),
    ]);
    const cache: ReferenceKeyValueCache = {
      ...{ rows: promptOf.length, kvHeads, headDim, capacity, filled: 0 },
      keys: tf.keep(tf.gather(k, [...promptOf])),
      values: tf.keep(tf.gather(v, [...promptOf])),
      padding: tf.keep(tf.tensor3d(padding)),
    };
    return cache;
  },
  attend(x, qkv, cache: ReferenceKeyValueCache, shape, rotation, norms) {
    const [q, k, v] = heads(x, qkv, shape, rotation, norms);
    const appended = (all: tf.Tensor4D, x: tf.Tensor3D): tf.Tensor4D =>
      tf.concat([all, tf.expandDims<tf.Tensor4D>(x, 1)], 1);
    const [keys, values] = [appended(cache.keys, k), appended(cache.values, v)];
    cache.keys = replaced(cache.keys, (all) => appended(all, stored(k)));
    cache.values = replaced(cache.values, (all) => appended(all, stored(v)));
    cache.filled += 1;
    const { rows, padding, filled } = cache;
    const mask = tf.concat([padding, tf.zeros<tf.Rank.R3>([rows, 1, filled])], 2);
    return tf.reshape(attend(tf.expandDims(q, 1), keys, values, mask), [rows, -1]);
  },
  compact(cache: ReferenceKeyValueCache, alive) {
    const kept = <T extends tf.Tensor>(tensor: T): T => replaced(tensor, (all) => tf.gather(all, [...alive]));
    Object.assign(cache, {
      keys: kept(cache.keys),
      values: kept(cache.values),
      padding: kept(cache.padding),
    });
    cache.rows = alive.length;
  },
  dispose: ({ keys, values, padding }: ReferenceKeyValueCache) => tf.dispose([keys, values, padding]),
};

/** Samples in double precision. */
const sample: typeof sampleHead = (h, head, rowIds, { temperature, position, stream, seed }) => {
  const logits = timesTransposed(h, matrixOf(head)).arraySync();
  const ids = rowIds.arraySync();
  const block = new Uint32Array(4);
  const gumbel = (row: number, token: number): number => {
    philox4x32(token >> 2, position, row, stream, seed, SAMPLING_KEY, block);
    return -Math.log(-Math.log(((block[token & 3] >>> 8) + 0.5) / 2 ** 24));
  };
  const drawn = logits.map((row, index) => {
    const z = row.map((logit) => logit / (temperature || 1));
    const scores = temperature > 0 ? z.map((value, token) => value + gumbel(ids[index], token)) : z;
    const token = scores.indexOf(Math.max(...scores));
    const largest = Math.max(...z);
    const sum = z.reduce((total, value) => total + Math.exp(value - largest), 0);
    return { token, logprob: z[token] - largest - Math.log(sum) };
  });
  return {
    tokens: tf.tensor1d(
      drawn.map(({ token }) => token),
      'int32',
    ),
    logprobs: tf.tensor1d(drawn.map(({ logprob }) => logprob)),
  };
};

/** @returns parameters and moments after the step */
export function adamWReference(
  state: AdamWState,
  gradient: tf.Tensor1D,
  settings: AdamWSettings,
): AdamWState {
  const { learningRate, beta1, beta2, epsilon, weightDecay, update, gradientScale } = settings;
  const g = tf.mul(gradient, gradientScale);
  const moment1: tf.Tensor1D = tf.add(tf.mul(state.moment1, beta1), tf.mul(g, 1 - beta1));
  const moment2: tf.Tensor1D = tf.add(tf.mul(state.moment2, beta2), tf.mul(tf.mul(g, g), 1 - beta2));
  const mean = tf.div(moment1, 1 - Math.pow(beta1, update));
  const deviation = tf.add(tf.sqrt(tf.div(moment2, 1 - Math.pow(beta2, update))), epsilon);
  const direction = tf.add(tf.div(mean, deviation), tf.mul(state.parameters, weightDecay));
  return { parameters: tf.sub(state.parameters, tf.mul(direction, learningRate)), moment1, moment2 };
}

/** By the names under which the ops register. */
export const references = {
  ...{ attention, decodeAttention, jointLinear, rmsNorm, rope, swiglu, tokenLogprob },
  embedding: (ids: tf.Tensor1D, table: Weight) => tf.gather(matrixOf(table), ids),
  gather: (x: tf.Tensor, rows: number[]) => tf.gather(x, rows),
  scatter: (x: tf.Tensor, rows: number[], total: number) =>
    tf.scatterND(tf.tensor2d(rows, [rows.length, 1], 'int32'), x, [total, ...x.shape.slice(1)]),
  lastRows: false,
  projectHeads: heads,
  sampleHead: sample,
};
