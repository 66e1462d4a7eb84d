/**
 * Embedding lookup. The gradient of tfjs's own `gather` sums with float atomics and copies the table. The WGSL
 * kernel instead sums over the positions of each token, in order. A packed table is frozen and receives no gradient.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { Weight } from '../lib/weight';
import { expectShape, expectWeight } from '../lib/shape';

const implementation = implementations('embedding', {
  wasm: async () => (await import('./wasm')).embeddingWasm,
  wgsl: async () => (await import('./wgsl')).embeddingWgsl,
});

/** @param ids [rows] int32, each below `table.outputs` @param table [vocabulary, width] @returns [rows, width] */
export function embedding(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  expectShape('embedding', 'ids', ids, [-1]);
  expectWeight('embedding', 'table', table);
  return implementation.current(ids, table);
}
