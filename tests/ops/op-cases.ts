/**
 * Ops with what flows into them, drawn at random: the same on every backend from the same random numbers. The tests hold
 * them against the references on WebGPU and on wasm, and `npm run matrix` where vitest does not run.
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import type { Random } from '../../src/base/random';
import { attention, paddedRows, wholeSequences, type BranchLayout } from '../../src/ops/attention';
import {
  attendNewToken,
  compactKeyValueCache,
  createKeyValueCache,
  disposeKeyValueCache,
  layOutPrompts,
} from '../../src/ops/decode-attention';
import { embedding } from '../../src/ops/embedding';
import { gather } from '../../src/ops/gather';
import { jointLinear, oneProjection, type JointProjection } from '../../src/ops/joint-linear';
import type { Weight } from '../../src/ops/lib/weight';
import { projectHeads, type HeadNorms } from '../../src/ops/project-heads';
import { rmsNorm } from '../../src/ops/rms-norm';
import { disposeTables, rope, ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { swiglu } from '../../src/ops/swiglu';
import { tokenLogprob } from '../../src/ops/token-logprob';
import { f32Weight, passedOn, randomTensor, randomWeight } from './random-tensors';

export interface OpCase {
  op: (...inputs: tf.Tensor[]) => tf.Tensor;
  /** The op has a gradient with respect to each of them. */
  inputs: tf.Tensor[];
}

export type Draw = (random: Random) => OpCase;

/** Concatenates several results. One gradient then flows back through all of them. */
export const joined = (tensors: readonly tf.Tensor[]): tf.Tensor =>
  tf.concat(tensors.map((tensor) => tf.reshape(tensor, [-1])));

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** The value, the value where a gradient is recorded, and the gradients by all inputs for one random dy. */
export function thereAndBack({ op, inputs }: OpCase, random: Random): tf.Tensor[] {
  return tf.tidy(() => {
    const value = op(...inputs);
    const { value: recorded, grads } = tf.valueAndGrads(op)(inputs, randomTensor(random, value.shape));
    return [value, recorded, ...grads];
  });
}

export const normOf =
  (rows: number, width: number): Draw =>
  (random) => ({
    op: (x, gain) => rmsNorm(x as tf.Tensor2D, gain as tf.Tensor1D, 1e-5),
    inputs: [randomTensor(random, [rows, width], 3), randomTensor(random, [width])],
  });

/** Lookup in a trained table. Some tokens repeat and others are absent. */
export const embeddingOf =
  (rows: number, vocabulary: number, width: number): Draw =>
  (random) => {
    const drawn = Int32Array.from({ length: rows }, () => random.integer(Math.ceil(vocabulary / 2)));
    const ids = tf.tensor1d(drawn, 'int32');
    return {
      op: (table) => embedding(ids, f32Weight(table as tf.Tensor2D, true)),
      inputs: [randomTensor(random, [vocabulary, width])],
    };
  };

/** Lookup in a frozen table of bf16, added to the input. */
export const lookupOf =
  (rows: number, vocabulary: number, width: number): Draw =>
  (random) => {
    const ids = tf.tensor1d(
      Int32Array.from({ length: rows }, () => random.integer(vocabulary)),
      'int32',
    );
    const table = randomWeight(random, 'bf16', vocabulary, width);
    return { op: (x) => tf.add(x, embedding(ids, table)), inputs: [randomTensor(random, [rows, width])] };
  };

export const gatheredOf =
  (rows: readonly number[], of: number, width: number): Draw =>
  (random) => ({
    op: (x) => gather(x, rows),
    inputs: [randomTensor(random, [of, width])],
  });

export const ropeOf =
  (rows: number, heads: number, headDim: number): Draw =>
  (random) => {
    const tables = ropeTables(200, rotaryFrequencies(headDim, 10_000));
    const rotation = rotationAt(
      tables,
      Int32Array.from({ length: rows }, () => random.integer(200)),
    );
    return {
      op: (x) => rope(x as tf.Tensor3D, rotation),
      inputs: [randomTensor(random, [rows, heads, headDim], 2)],
    };
  };

export const headsOf =
  (rows: number, heads: number, kvHeads: number, headDim: number, isNormed: boolean): Draw =>
  (random) => {
    const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
    const positions = Int32Array.from({ length: rows }, (_, row) => (row * 5) % 61);
    const rotation = rotationAt(ropeTables(64, rotaryFrequencies(headDim, 100)), positions);
    const norms = isNormed ? headNorms(random, headDim) : null;
    const qkv = passedOn(widths);
    return {
      op: (x) => joined(projectHeads(x as tf.Tensor2D, qkv, { heads, kvHeads, headDim }, rotation, norms)),
      inputs: [randomTensor(random, [rows, total(widths)])],
    };
  };

const headNorms = (random: Random, headDim: number): HeadNorms => ({
  q: randomTensor(random, [headDim], 2),
  k: randomTensor(random, [headDim], 2),
  epsilon: 1e-3,
});

/** A single projection, by a weight that is trained where it is f32. */
export const linearOf =
  (
    format: Weight['format'],
    rows: number,
    outputs: number,
    inputs: number,
    adds: 'bias' | 'residual' | 'nothing' = 'residual',
  ): Draw =>
  (random) => {
    const weight = randomWeight(random, format, outputs, inputs);
    const options = { bias: [[outputs]], residual: [[rows, outputs]], nothing: [] }[adds].map((shape) =>
      randomTensor(random, shape),
    );
    return {
      op: (x, ...given) => {
        const trained = weight.format === 'f32' ? { ...weight, data: given.pop() as tf.Tensor2D } : weight;
        const [added] = given;
        const bias = adds === 'bias' ? (added as tf.Tensor1D) : null;
        const residual = adds === 'residual' ? (added as tf.Tensor2D) : undefined;
        return jointLinear(x as tf.Tensor2D, { ...oneProjection(trained), bias }, residual);
      },
      inputs: [
        randomTensor(random, [rows, inputs]),
        ...options,
        ...(weight.format === 'f32' ? [weight.data] : []),
      ],
    };
  };

/**
 * A joint projection with a bias, or a single one with a residual. Gradients are with respect to an adapter's two
 * matrices, or to the weight and the bias if there is no adapter.
 *
 * @param project computes the result from the projections
 */
export const jointOf =
  (
    format: Weight['format'],
    rows: number,
    segments: readonly number[],
    inputs: number,
    rank: number | null,
    project: (x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D) => tf.Tensor = jointLinear,
  ): Draw =>
  (random) => {
    const [isSingle, outputs] = [segments.length === 1, total(segments)];
    const weight = randomWeight(random, format, outputs, inputs);
    const bias = isSingle ? null : randomTensor<tf.Rank.R1>(random, [outputs]);
    const adapter = rank !== null && {
      a: f32Weight(randomTensor(random, [segments.length * rank, inputs]), true),
      b: randomTensor<tf.Rank.R2>(random, [outputs, rank]),
      scale: 0.6,
    };
    const joint = { segments, weight, bias, adapter: adapter || null };
    const frozen = weight.format === 'f32' ? [weight.data, ...(bias ? [bias] : [])] : [];
    const changed = (data?: tf.Tensor, other?: tf.Tensor): Partial<JointProjection> => {
      if (data === undefined) return {};
      const trained = f32Weight(data as tf.Tensor2D, true);
      return adapter
        ? { adapter: { ...adapter, a: trained, b: other as tf.Tensor2D } }
        : { weight: trained, ...(other && { bias: other as tf.Tensor1D }) };
    };
    return {
      op: (x, ...given) => {
        const residual = isSingle ? (given.shift() as tf.Tensor2D) : undefined;
        return project(x as tf.Tensor2D, { ...joint, ...changed(...given) }, residual);
      },
      inputs: [
        randomTensor(random, [rows, inputs]),
        ...(isSingle ? [randomTensor(random, [rows, outputs])] : []),
        ...(adapter ? [adapter.a.data, adapter.b] : frozen),
      ],
    };
  };

/** SwiGLU of two projections without a bias: on WebGPU one kernel if no gradient is recorded. */
export const swigluOf = (
  format: Weight['format'],
  rows: number,
  width: number,
  inputs: number,
  rank: number | null,
): Draw =>
  jointOf(format, rows, [width, width], inputs, rank, (x, joint) => swiglu(x, { ...joint, bias: null }));

/** By a head that is trained. */
export const logprobOf =
  (rows: number, vocabulary: number, width: number, temperature = 0.8): Draw =>
  (random) => {
    const drawn = Int32Array.from({ length: rows }, () => random.integer(vocabulary));
    const tokens = tf.tensor1d(drawn, 'int32');
    return {
      op: (h, head) =>
        tokenLogprob(h as tf.Tensor2D, f32Weight(head as tf.Tensor2D, true), tokens, temperature),
      inputs: [randomTensor(random, [rows, width], 2), randomTensor(random, [vocabulary, width])],
    };
  };

/** Of `samples` branches of `length` rows after each of the prompts, which are padded to the longest. */
export function layoutOf(samples: number, length: number, prefixLengths: number[]): BranchLayout {
  const prompts = { length: Math.max(...prefixLengths), branches: { samples, prefixLengths } };
  return { length, prompts };
}

/** Places of the rows that are no padding. @param lengths of the branches */
export function placesOf({ length, prompts }: BranchLayout, lengths: readonly number[]): number[] {
  const { prefixLengths } = prompts.branches;
  const rows = (count: number, first: number): number[] => Array.from({ length: count }, (_, t) => first + t);
  return [
    ...prefixLengths.flatMap((own, group) => rows(own, group * prompts.length)),
    ...lengths.flatMap((own, branch) => rows(own, prefixLengths.length * prompts.length + branch * length)),
  ];
}

/** @param places of the rows that there are; all where there is none */
export const branchesOf =
  (
    layout: BranchLayout,
    heads: number,
    kvHeads: number,
    headDim: number,
    places?: readonly number[],
    fma?: boolean,
  ): Draw =>
  (random) => {
    const rows = places?.length ?? paddedRows(layout);
    return {
      op: (...given) => attention(...(given as [tf.Tensor3D, tf.Tensor3D, tf.Tensor3D]), layout, places, fma),
      inputs: [heads, kvHeads, kvHeads].map((each) => randomTensor(random, [rows, each, headDim], 2)),
    };
  };

/** Of `count` sequences. */
export const sequencesOf = (
  count: number,
  length: number,
  heads: number,
  kvHeads: number,
  headDim: number,
  fma?: boolean,
): Draw => branchesOf(wholeSequences(count, length), heads, kvHeads, headDim, undefined, fma);

export interface Decoding {
  prefixLengths: number[];
  /** Index of the prompt that each row continues. */
  promptOf: number[];
  heads: number;
  kvHeads: number;
  headDim: number;
  /** Tokens before a compaction, and as many after it. */
  steps: number;
  /** Rows that are left then, in their new order. */
  alive: number[];
  isNormed: boolean;
  /** Scale of the random values of each token; 2 by default. */
  spread?: number;
}

/** Outputs of every step. Prompts are padded by one. */
export function decoded(random: Random, scene: Decoding): tf.Tensor[] {
  const { prefixLengths, promptOf, heads, kvHeads, headDim, steps, alive, spread = 2 } = scene;
  const room = Math.max(...prefixLengths) + 1;
  const prompt = (scale: number): tf.Tensor4D =>
    tf.keep(randomTensor<tf.Rank.R4>(random, [prefixLengths.length, room, kvHeads, headDim], scale));
  const norms = scene.isNormed ? headNorms(random, headDim) : null;
  const prompts = layOutPrompts({ k: prompt(2), v: prompt(1) });
  const cache = createKeyValueCache(prompts, prefixLengths, promptOf, 2 * steps);
  const tables = ropeTables(room + 2 * steps, rotaryFrequencies(headDim, 100));
  const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
  const projection = passedOn(widths);
  const outputs: tf.Tensor[] = [];
  const go = (rows: readonly number[], before: number): void => {
    for (let step = before; step < before + steps; step++) {
      const qkv = randomTensor<tf.Rank.R2>(random, [rows.length, total(widths)], spread);
      const positions = Int32Array.from(rows, (row) => prefixLengths[promptOf[row]] + step);
      outputs.push(
        tf.tidy(() => attendNewToken(qkv, projection, cache, rotationAt(tables, positions), norms)),
      );
      qkv.dispose();
    }
  };
  go([...promptOf.keys()], 0);
  compactKeyValueCache(cache, alive);
  go(alive, steps);
  disposeKeyValueCache(cache);
  disposeTables(tables);
  tf.dispose([prompts.k, prompts.v, projection.weight.data, ...(norms ? [norms.q, norms.k] : [])]);
  return outputs;
}
