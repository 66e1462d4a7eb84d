/**
 * Rows of the embedding table. The gradient of tfjs's own `gather` sums with float atomics and copies the table, so
 * the plain twin takes it as a product with the one-hot matrix (small vocabularies only) and the fused twin sums over
 * the positions of each token, in order. A packed table is frozen and gets none.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Weight } from './linear';
import { unpackWeight } from './linear';

/** @param ids [rows] int32, each below `table.outputs` @param table [vocabulary, width] @returns [rows, width] */
export function embedding(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  return embeddingPlain(ids, table);
}

/** The plain twin. */
export function embeddingPlain(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  if (table.format !== 'f32') return tf.tidy(() => tf.gather(unpackWeight(table), ids));
  if (!table.trainable) return tf.gather(table.data, ids);
  const lookup = tf.customGrad((data: tf.Tensor | tf.GradSaveFunc) => ({
    value: tf.gather(data as tf.Tensor2D, ids),
    gradFunc: (dy: tf.Tensor) =>
      tf.tidy(() => {
        const oneHot = tf.cast(tf.oneHot(ids, table.outputs), 'float32'); // [rows, vocabulary]
        return tf.matMul(tf.transpose(oneHot), dy as tf.Tensor2D); // [vocabulary, width]
      }),
  }));
  return lookup(table.data) as tf.Tensor2D;
}
