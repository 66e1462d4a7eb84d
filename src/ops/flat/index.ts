/**
 * Concatenates tensors or parts of them into one vector, such as the optimiser's flat vector of all parameters. On
 * WebGPU these are buffer-to-buffer copies without a kernel. tfjs's own kernel determines for every element which part
 * it belongs to, and needs a new variant for every number of parts.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { ElementRange } from './ranges';

const concatenation = implementations('flatten', {
  wasm: async () => (await import('./wasm')).flattenWasm,
  wgsl: async () => (await import('./wgsl')).flattenWgsl,
});

const zeros = implementations('zeroVector', {
  wasm: async () => (await import('./wasm')).zeroVectorWasm,
  wgsl: () => Promise.resolve((size: number): tf.Tensor1D => tf.zeros([size])),
});

const reading = implementations<typeof readAll>('readAll', {
  wasm: () => Promise.resolve((tensors) => Promise.resolve(tensors.map((tensor) => tensor.dataSync()))),
  wgsl: async () => (await import('./wgsl')).readAllWgsl,
});

export type { ElementRange } from './ranges';

/** Concatenates the values of all tensors and ranges. @param parts float32 */
export function flatten(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  return concatenation.current(parts);
}

export function zeroVector(size: number): tf.Tensor1D {
  return zeros.current(size);
}

/** Reads the values of all tensors, with a single readback. @param tensors float32 or int32 */
export function readAll(tensors: readonly tf.Tensor[]): Promise<ArrayLike<number>[]> {
  return reading.current(tensors);
}
