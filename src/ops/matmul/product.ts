/**
 * Matrix product a b of the reference implementations, 2-D or batched. tfjs's own gradient of `matMul` asks for transposed operands,
 * which its wasm kernel multiplies 10 to 25 times slower than a product of matrices turned beforehand (and which its
 * WebGPU kernel gets wrong for some shapes): da = dy bᵀ and db = aᵀ dy with explicit transposes.
 */
import * as tf from '@tensorflow/tfjs-core';

/** Last two axes exchanged. */
export function turned<T extends tf.Tensor>(matrix: T): T {
  return tf.transpose(matrix, matrix.rank === 2 ? [1, 0] : [0, 2, 1]);
}

/** @param a [rows, inner] or [batch, rows, inner] @param b [inner, columns] or [batch, inner, columns] */
export function product<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T): T {
  const multiply = tf.customGrad((...args) => {
    const [left, right, save] = args as unknown as [T, T, tf.GradSaveFunc];
    save([left, right]);
    return {
      value: multiplied(left, right),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => [
        tf.tidy(() => multiplied(dy as T, turned(saved[1] as T))),
        tf.tidy(() => multiplied(turned(saved[0] as T), dy as T)),
      ],
    };
  });
  return multiply(a, b);
}

/** Multiplications in one product of a batch from which on wasm takes them one by one. */
const LARGE_PRODUCT = 260_000;

/**
 * tfjs's wasm kernel multiplies single matrices four to nine times as fast as batches of them, where they are large. The
 * batch is taken apart by its values, read once, because tfjs's slice reads the whole batch for each part.
 */
function multiplied<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T): T {
  const [rows, inner] = a.shape.slice(-2);
  const oneByOne =
    a.rank === 3 && rows * inner * (b.shape.at(-1) ?? 0) >= LARGE_PRODUCT && tf.getBackend() === 'wasm';
  if (!oneByOne) return tf.matMul(a, b);
  return tf.tidy(() => {
    const rights = matricesOf(b as tf.Tensor3D);
    return tf.stack(matricesOf(a as tf.Tensor3D).map((left, index) => tf.matMul(left, rights[index]))) as T;
  });
}

function matricesOf(batch: tf.Tensor3D): tf.Tensor2D[] {
  const [count, rows, columns] = batch.shape;
  const values = batch.dataSync();
  const size = rows * columns;
  return Array.from({ length: count }, (_, index) =>
    tf.tensor2d(values.subarray(index * size, (index + 1) * size), [rows, columns]),
  );
}

/** Column sums [columns] of [rows, columns], as a product: wasm sums the first axis slowly. */
export function columnSums(matrix: tf.Tensor2D): tf.Tensor1D {
  return tf.tidy(() =>
    tf.reshape(tf.matMul(tf.ones<tf.Rank.R2>([1, matrix.shape[0]]), matrix), [matrix.shape[1]]),
  );
}
