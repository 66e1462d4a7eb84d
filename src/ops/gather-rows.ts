/**
 * Some rows of a matrix, each at most once: the response positions before the output head. Because no row is taken
 * twice, the gradient is a gather as well, by the inverse map, and needs no atomics.
 */
import * as tf from '@tensorflow/tfjs-core';

export interface RowSelection {
  /** [selected] int32: the rows taken */
  rows: tf.Tensor1D;
  /** [all rows] int32: where each row went, or `selected` for a row not taken */
  inverse: tf.Tensor1D;
}

/** @param total number of rows of the matrix; `rows` holds distinct indices below it */
export function selectRows(rows: readonly number[], total: number): RowSelection {
  const inverse = new Int32Array(total).fill(rows.length);
  rows.forEach((row, index) => (inverse[row] = index));
  return { rows: tf.tensor1d(Int32Array.from(rows), 'int32'), inverse: tf.tensor1d(inverse, 'int32') };
}

/** @param x [all rows, width] @returns [selected, width] */
export function gatherRows(x: tf.Tensor2D, selection: RowSelection): tf.Tensor2D {
  const gather = tf.customGrad((...args) => {
    const [input, save] = args as [tf.Tensor2D, tf.GradSaveFunc];
    save([selection.inverse]); // or a tidy around the forward pass would take it from the gradient
    return {
      value: tf.gather(input, selection.rows),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) =>
        tf.tidy(() => {
          const zeroRow = tf.zeros<tf.Rank.R2>([1, x.shape[1]]);
          return tf.gather(tf.concat([dy as tf.Tensor2D, zeroRow], 0), saved[0] as tf.Tensor1D);
        }),
    };
  });
  return gather(x) as tf.Tensor2D;
}
