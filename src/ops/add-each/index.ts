/** sums[i] + terms[i] for several pairs of tensors. Accumulates the gradients of micro-batches. */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectShape } from '../lib/shape';

const implementation = implementations('addEach', {
  wasm: () => Promise.resolve(addEachWasm),
  wgsl: async () => (await import('./wgsl')).addEachWgsl,
});

/**
 * @param sums become invalid, as do the terms; use only the result
 * @returns tensors of the same shapes, in the same order
 */
export function addEach<T extends tf.Tensor>(sums: readonly T[], terms: readonly T[]): T[] {
  sums.forEach((sum, index) => expectShape('addEach', `terms[${index}]`, terms[index], sum.shape));
  return implementation.current(sums, terms);
}

function addEachWasm<T extends tf.Tensor>(sums: readonly T[], terms: readonly T[]): T[] {
  const added = sums.map((sum, index) => tf.add<T>(sum, terms[index]));
  tf.dispose([...sums, ...terms]);
  return added;
}
