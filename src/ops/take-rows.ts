/**
 * Some entries of the first axis, in any order, each any number of times. On wasm tfjs's own `gather` copies element
 * by element; neighbours taken together are slices there, and joining slices is a block copy. No gradient.
 */
import * as tf from '@tensorflow/tfjs-core';

/** @param rows indices into the first axis of `x` @returns the shape of `x` with `rows.length` entries */
export function takeRows<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  if (tf.getBackend() !== 'wasm') return tf.tidy(() => tf.gather(x, tf.tensor1d(rows as number[], 'int32')));
  return tf.tidy(() => {
    const rest = x.shape.slice(1);
    const parts: tf.Tensor[] = [];
    for (let start = 0; start < rows.length;) {
      let end = start + 1;
      while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
      parts.push(tf.slice(x, [rows[start], ...rest.map(() => 0)], [end - start, ...rest]));
      start = end;
    }
    return (parts.length === 1 ? parts[0] : tf.concat(parts, 0)) as T;
  });
}
