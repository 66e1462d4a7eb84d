/**
 * Some rows of a matrix, each at most once and in ascending order: the response positions before the output head.
 * Because no row is taken twice, the gradient puts every row back in its place, with zeros between, without atomics.
 */
import * as tf from '@tensorflow/tfjs-core';
import { takeRows } from './take-rows';

/** @param x [all rows, width] @param rows ascending indices below the number of rows @returns [selected, width] */
export function gatherRows(x: tf.Tensor2D, rows: readonly number[]): tf.Tensor2D {
  const gather = tf.customGrad((...args) => {
    const [input, save] = args as [tf.Tensor2D, tf.GradSaveFunc];
    save([]);
    return {
      value: takeRows(input, rows),
      gradFunc: (dy: tf.Tensor) => putRows(dy as tf.Tensor2D, rows, x.shape[0]),
    };
  });
  return tf.tidy(() => gather(x) as tf.Tensor2D);
}

/** The inverse: a matrix of `total` rows that is zero but for `rows`. */
function putRows(values: tf.Tensor2D, rows: readonly number[], total: number): tf.Tensor2D {
  return tf.tidy(() => {
    const width = values.shape[1];
    if (tf.getBackend() !== 'wasm') {
      const inverse = new Int32Array(total).fill(rows.length);
      rows.forEach((row, index) => (inverse[row] = index));
      const withZero = tf.concat([values, tf.zeros<tf.Rank.R2>([1, width])], 0);
      return tf.gather(withZero, tf.tensor1d(inverse, 'int32'));
    }
    const parts: tf.Tensor2D[] = [];
    const zeros = (count: number): void => {
      if (count > 0) parts.push(tf.zeros([count, width]));
    };
    let next = 0;
    for (let start = 0; start < rows.length;) {
      let end = start + 1;
      while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
      zeros(rows[start] - next);
      parts.push(tf.slice(values, [start, 0], [end - start, width]));
      next = rows[end - 1] + 1;
      start = end;
    }
    zeros(total - next);
    return parts.length === 1 ? parts[0] : tf.concat(parts, 0);
  });
}
