/**
 * Gathers entries of the first axis, such as the response positions before the output head, and scatters them back. On
 * wasm, adjacent entries are copied together, because tfjs's own `gather` copies element by element and each call of its
 * `slice` copies the whole tensor. On WebGPU one kernel serves all shapes and types.
 *
 * Where a gradient is recorded, no row is gathered or scattered twice. The gradient of one is therefore the other,
 * without sums.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { differentiable } from '../lib/differentiable';

const gathering = implementations('gather', {
  wasm: async () => (await import('./wasm')).gatherWasm,
  wgsl: async () => (await import('./wgsl')).gatherWgsl,
});

const scattering = implementations('scatter', {
  wasm: async () => (await import('./wasm')).scatterWasm,
  wgsl: async () => (await import('./wgsl')).scatterWgsl,
});

/**
 * @param x [entries, ..], float32 or int32
 * @param rows indices below the number of entries, distinct where a gradient is recorded
 * @returns [selected, ..]
 */
export function gather<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  return differentiable<T>([x], () => ({
    value: gathering.current(x, rows),
    saved: [],
    gradient: (dy) => [() => scattering.current(dy, rows, x.shape[0])],
  }));
}

/** The inverse: `total` entries, zero except at `rows`. @param x [selected, ..] @param rows distinct */
export function scatter<T extends tf.Tensor>(x: T, rows: readonly number[], total: number): T {
  return differentiable<T>([x], () => ({
    value: scattering.current(x, rows, total),
    saved: [],
    gradient: (dy) => [() => gathering.current(dy, rows)],
  }));
}

/** Gathers the entries at `rows`, which replace `x`: keeps the result and disposes of `x`. */
export function keepRows<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  const kept = tf.keep(gather(x, rows));
  x.dispose();
  return kept;
}
