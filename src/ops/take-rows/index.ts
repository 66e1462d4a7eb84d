/**
 * Gathers entries of the first axis, in any order and any number of times. On wasm, adjacent entries are copied
 * together, because tfjs's own `gather` copies element by element and each call of its `slice` copies the whole tensor.
 * On WebGPU one kernel serves all shapes and types (wgsl.ts). No gradient.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';

const implementation = implementations({
  reference: takeRowsReference,
  wasm: async () => (await import('./wasm')).takeRowsWasm,
  wgsl: async () => (await import('./wgsl')).takeRowsWgsl,
});

/** @param x float32 or int32 @param rows indices into its first axis @returns the shape of `x` with `rows.length` entries */
export function takeRows<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  return implementation.current(x, rows);
}

function takeRowsReference<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  return tf.tidy(() => tf.gather(x, tf.tensor1d(rows as number[], 'int32')));
}
