/**
 * Helpers for the tests of ops: random tensors, poisoned memory, and comparison with the references.
 */
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AdapterTraits } from '../../src/gpu/capabilities';
import { replaceImplementations } from '../../src/gpu/implementations';
import { createRandom, type Random } from '../../src/base/random';
import { adamW, gradientNorm, type AdamWState } from '../../src/ops/adamw';
import { flatten } from '../../src/ops/flat';
import { gather } from '../../src/ops/gather';
import { adapterTraits } from '../../src/ops/matmul';
import { chooseTile, type TileChoice } from '../../src/ops/matmul/tiles';
import type { Weight } from '../../src/ops/lib/weight';
import { MOST_ROWS } from '../../src/ops/matmul/gemv.wgsl';
import type { Direction } from '../../src/ops/matmul/variant';
import { sampleHead, type SampledTokens } from '../../src/ops/sample-head';
import { thereAndBack, type Draw } from './op-cases';
import { difference, f32Weight, randomTensor } from './random-tensors';
import { adamWReference, references } from './references';

export const seeded = (name: string): Random =>
  createRandom(
    Array.from(name).reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7),
  );

/**
 * Results of the references on tfjs's CPU backend, which compiles nothing. The inputs of `body` must not
 * have been on the GPU yet: call it before the kernel.
 */
export async function onCpu<T>(body: () => T | Promise<T>): Promise<T> {
  const before = tf.getBackend();
  await tf.setBackend('cpu');
  const restore = replaceImplementations(references);
  try {
    return await body();
  } finally {
    await tf.setBackend(before);
    restore();
  }
}

/** Largest difference relative to the largest expected magnitude, with NaN never passing. */
export async function expectClose(actual: tf.Tensor, expected: tf.Tensor, tolerance = 2e-5): Promise<void> {
  expect(actual.shape).toEqual(expected.shape);
  expect(difference(await actual.data(), await expected.data())).toBeLessThan(tolerance);
}

export const SAMPLING = { temperature: 0.7, seed: 5, stream: 2, position: 9 };

function randomHead(name: string, rows: number, vocabulary: number, width: number) {
  const random = seeded(name);
  const head = f32Weight(randomTensor(random, [vocabulary, width]));
  const rowIds = tf.range(3, rows + 3, 1, 'int32');
  return { h: randomTensor<tf.Rank.R2>(random, [rows, width]), head, rowIds };
}

/** Rows, tokens and width of heads; the tokens of the second are more blocks than the kernel that merges them has threads. */
export const HEADS: [number, number, number][] = [
  [1, 5, 8],
  [3, 2100, 9],
  [37, 203, 16],
];

/** Expects the reference's draws, by noise and greedily. */
export async function expectDraws(rows: number, vocabulary: number, width: number): Promise<void> {
  for (const temperature of [0.7, 0]) {
    const draw = (): SampledTokens => {
      const { h, head, rowIds } = randomHead(`${rows}`, rows, vocabulary, width);
      return sampleHead(h, head, rowIds, { ...SAMPLING, temperature });
    };
    const expected = await onCpu(draw);
    const drawn = draw();
    expect(await drawn.tokens.data()).toEqual(await expected.tokens.data());
    await expectClose(drawn.logprobs, expected.logprobs);
  }
}

/** Registers the tests of parts of the ops that are the same on every backend. */
export function testParts(): void {
  it('gathers floats and integers, in any order and of any shape, with their bits', async () => {
    const floats = tf.tensor3d([0.1, -0, 3e-42, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 2, 2]);
    const integers = tf.tensor1d(Int32Array.of(2 ** 24 + 1, -1, 7), 'int32');
    const gathered = gather(floats, [2, 0, 0]);
    expect(gathered.shape).toEqual([3, 2, 2]);
    const expected = Float32Array.of(6, 7, 8, 9, 0.1, -0, 3e-42, 1, 0.1, -0, 3e-42, 1);
    expect(await gathered.data()).toEqual(expected);
    const whole = gather(integers, [1, 0, 2, 0]);
    expect(whole.dtype).toBe('int32');
    expect(await whole.data()).toEqual(Int32Array.of(-1, 2 ** 24 + 1, 7, 2 ** 24 + 1));
    tf.dispose([floats, integers, gathered, whole]);
  });

  it('tensors and parts of them become one vector in their order', async () => {
    const random = seeded('flat');
    const tensors = [[3], [2, 5], [1, 1], [7, 1, 3]].map((shape) => randomTensor(random, shape));
    const [a, b, c, d] = tensors.map((tensor) => [...tensor.dataSync()]);
    const parts = [
      { tensor: tensors[3], offset: 4, size: 9 },
      tensors[0],
      { tensor: tensors[1], offset: 0, size: 1 },
      tensors[2],
      { tensor: tensors[1], offset: 6, size: 4 },
    ];
    const expected = [...d.slice(4, 13), ...a, b[0], ...c, ...b.slice(6)];
    expect([...(await flatten(parts).data())]).toEqual(expected);
  });

  it('takes the same three steps of AdamW as the reference, and leaves a clone of the parameters unchanged', async () => {
    const random = seeded('adamw');
    const size = 1001;
    const start = randomTensor<tf.Rank.R1>(random, [size]);
    const fresh = (): AdamWState => ({
      parameters: tf.keep(tf.add(start, 0)),
      moment1: tf.keep(tf.zeros([size])),
      moment2: tf.keep(tf.zeros([size])),
    });
    const state = fresh();
    const clone = tf.clone(state.parameters);
    let reference = fresh();
    for (let update = 1; update <= 3; update++) {
      const gradient = randomTensor<tf.Rank.R1>(random, [size]);
      const settings = { learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1 };
      adamW(state, gradient, { ...settings, update, gradientScale: 0.3 });
      reference = adamWReference(reference, gradient, { ...settings, update, gradientScale: 0.3 });
    }
    for (const name of ['parameters', 'moment1', 'moment2'] as const)
      await expectClose(state[name], reference[name]);
    await expectClose(clone, start);
  });

  it('has the norm of the gradient, the same bits in every run', async () => {
    const gradient = randomTensor<tf.Rank.R1>(seeded('norm'), [100_003]);
    const values = Float64Array.from(await gradient.data());
    const expected = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    const first = await gradientNorm(gradient);
    expect(Math.abs(first / expected - 1)).toBeLessThan(2e-5);
    for (let run = 1; run < 12; run++) expect(await gradientNorm(gradient)).toBe(first);
  });

  it('repeats the stop id of an ended row and no other', async () => {
    const draw = async (newest?: number[]) => {
      const { h, head, rowIds } = randomHead('ended', 5, 130, 8);
      const stopIds = tf.tensor1d([129, 7], 'int32');
      const ended = newest && { newest: tf.tensor1d(newest, 'int32'), stopIds };
      const { tokens, logprobs } = sampleHead(h, head, rowIds, SAMPLING, ended);
      return { tokens: Array.from(await tokens.data()), logprobs: Array.from(await logprobs.data()) };
    };
    const free = await draw();
    const after = await draw([7, 129, 8, 0, 7]);
    expect(after.tokens).toEqual([7, 129, free.tokens[2], free.tokens[3], 7]);
    expect(after.logprobs).toEqual([0, 0, free.logprobs[2], free.logprobs[3], 0]);
  });
}

/** Scores of 71 rows over 45 tokens and their gradients, by `op` with its limit on the bytes of logits. */
export function scoring(
  op: (h: tf.Tensor2D, head: Weight, tokens: tf.Tensor1D, temperature: number, bytes: number) => tf.Tensor2D,
): (bytes: number) => tf.Tensor[] {
  const random = seeded('chunks');
  const inputs = [randomTensor(random, [71, 4], 2), randomTensor(random, [45, 4])];
  const ids = Int32Array.from({ length: 71 }, () => random.integer(45));
  const tokens = tf.tensor1d(ids, 'int32');
  const dy = randomTensor(random, [2, 71]);
  return (bytes) => {
    const apply = (...[x, table]: tf.Tensor[]): tf.Tensor2D =>
      op(x as tf.Tensor2D, f32Weight(table as tf.Tensor2D, true), tokens, 0.8, bytes);
    return [apply(...inputs), ...tf.grads(apply)(inputs, dy)];
  };
}

/** Compares an op's value and gradients on WebGPU with those on cpu. @param tolerance of its gradients */
export async function expectReference(name: string, draw: Draw, tolerance = 2e-5): Promise<void> {
  const results = (): tf.Tensor[] => {
    const random = seeded(name);
    return thereAndBack(draw(random), random);
  };
  const expected = await onCpu(results);
  const found = results();
  for (const [i, result] of found.entries())
    await expectClose(result, expected[i], i < 2 ? undefined : tolerance);
  // One kernel for the decoding, two where a gradient is recorded.
  if (name.startsWith('SwiGLU')) expect(await found[0].data()).toEqual(await found[1].data());
}

/**
 * Makes ops use the kernels for a graphics card (or for a software adapter) in this `describe`, on any adapter. Both
 * kinds compute the same on either.
 *
 * @param maxBindingBytes most bytes of a matrix that a kernel binds; at least 128 rows
 */
export function asOn(kind: 'a graphics card' | 'a software adapter', maxBindingBytes = 2 ** 27): void {
  let before: AdapterTraits;
  const backend = (): { traits: AdapterTraits } => tf.backend() as unknown as { traits: AdapterTraits };
  beforeAll(() => {
    before = backend().traits;
    const isSoftware = kind === 'a software adapter';
    backend().traits = { ...before, isSoftware, maxWorkgroupBytes: 16384, maxBindingBytes };
  });
  afterAll(() => {
    backend().traits = before;
  });
}

export const BOTH_KINDS = ['a graphics card', 'a software adapter'] as const;

/**
 * Tiles that the rule chooses for some shape on either kind of adapter, without those that cannot compute `rows` rows.
 */
export function ruledTiles(direction: Direction, rows: number): TileChoice[] {
  const sizes = [1, 4, 16, 32, 64, 256, 1024];
  const chosen = [true, false].flatMap((isSoftware) =>
    sizes.flatMap((m) =>
      [...sizes, 16_384].map((n) =>
        chooseTile({ direction, m, n, k: 1024 }, { ...adapterTraits(), isSoftware }),
      ),
    ),
  );
  const different = new Map(chosen.map((tile) => [JSON.stringify(tile), tile]));
  return [...different.values()].filter((tile) => tile !== 'skinny' || rows <= MOST_ROWS);
}
