/**
 * Helpers for the tests of ops: random tensors, poisoned memory, and comparison with the references.
 */
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { AdapterTraits } from '../../src/gpu/capabilities';
import { replaceImplementations } from '../../src/gpu/implementations';
import { createRandom, type Random } from '../../src/base/random';
import { flatten } from '../../src/ops/flat';
import { gather } from '../../src/ops/gather';
import { adapterTraits } from '../../src/ops/matmul';
import { chooseTile, type TileChoice } from '../../src/ops/matmul/tiles';
import { MOST_ROWS } from '../../src/ops/matmul/gemv.wgsl';
import type { Direction } from '../../src/ops/matmul/variant';
import { thereAndBack, type Draw } from './op-cases';
import { difference, randomTensor } from './random-tensors';
import { references } from './references';

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

/** Expects that `gather` keeps the bits of floats and of integers. */
export async function expectGathered(): Promise<void> {
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
}

/** Expects that `flatten` concatenates tensors and parts of them in their order. */
export async function expectFlattened(): Promise<void> {
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
}

/** Compares an op's value and gradients on WebGPU with those on cpu. @param tolerance of its gradients */
export async function expectReference(name: string, draw: Draw, tolerance = 2e-5): Promise<void> {
  const results = (): tf.Tensor[] => {
    const random = seeded(name);
    return thereAndBack(draw(random), random);
  };
  const expected = await onCpu(results);
  for (const [i, result] of results().entries())
    await expectClose(result, expected[i], i < 2 ? undefined : tolerance);
}

/**
 * Makes ops use the kernels for a graphics card (or for a software adapter) in this `describe`, on any adapter. Both
 * kinds compute the same on either.
 */
export function asOn(kind: 'a graphics card' | 'a software adapter'): void {
  let before: AdapterTraits;
  const backend = (): { traits: AdapterTraits } => tf.backend() as unknown as { traits: AdapterTraits };
  beforeAll(() => {
    before = backend().traits;
    backend().traits = { ...before, isSoftware: kind === 'a software adapter', maxWorkgroupBytes: 16384 };
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
