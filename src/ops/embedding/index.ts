/**
 * Embedding lookup. The gradient of tfjs's own `gather` sums with float atomics and copies the table. The reference
 * implementation instead multiplies by the one-hot matrix (small vocabularies only). The WGSL kernel sums over the
 * positions of each token, in order. A packed table is frozen and receives no gradient.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { differentiable } from '../lib/differentiable';
import type { Weight } from '../lib/weight';
import { unpackWeight } from '../joint-linear/reference';
import { transpose } from '../lib/product';
import { expectShape, expectWeight } from '../lib/shape';

const implementation = implementations({
  reference: embeddingReference,
  wasm: async () => (await import('./wasm')).embeddingWasm,
  wgsl: async () => (await import('./wgsl')).embeddingWgsl,
});

/** @param ids [rows] int32, each below `table.outputs` @param table [vocabulary, width] @returns [rows, width] */
export function embedding(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  expectShape('embedding', 'ids', ids, [-1]);
  expectWeight('embedding', 'table', table);
  return implementation.current(ids, table);
}

/**
 * The reference implementation. Up to `ONE_HOT_LIMIT` tokens the lookup is also a product, because wasm gathers slowly.
 */
function embeddingReference(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  if (table.format !== 'f32') return tf.tidy(() => tf.gather(unpackWeight(table), ids));
  if (!table.trainable && table.outputs > ONE_HOT_LIMIT) return tf.gather(table.data, ids);
  const oneHot = (tokens: tf.Tensor): tf.Tensor2D =>
    tf.cast(tf.oneHot(tokens as tf.Tensor1D, table.outputs) as tf.Tensor2D, 'float32'); // [rows, vocabulary]
  return differentiable<tf.Tensor2D>([table.data], () => ({
    value: table.outputs > ONE_HOT_LIMIT ? tf.gather(table.data, ids) : tf.matMul(oneHot(ids), table.data),
    saved: [ids],
    gradient: (dy, [tokens]) => [() => tf.matMul(transpose(oneHot(tokens)), dy)], // [vocabulary, width]
  }));
}

const ONE_HOT_LIMIT = 128;
