/** WGSL kernel of `gather` and of `scatter`. It copies 32-bit words of any type. */
import * as tf from '@tensorflow/tfjs-core';
import { elementKernel, emptyTensor, runElements } from '../../gpu/kernel';

const kernel = elementKernel({
  name: 'gather',
  inputs: { x: 'u32', rows: 'i32' },
  outputs: { y: 'u32' },
  uniforms: { width: 'u32' },
  body: `
    let row = rows[i / uniforms.width];
    y[i] = 0u;
    if (row >= 0) { y[i] = x[u32(row) * uniforms.width + i % uniforms.width]; }`,
});

/** @param rows indices into the first axis of `x`; -1 for zeros @returns the shape of `x` with `rows.length` entries */
export function gatherWgsl<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  const [count, ...rest] = x.shape;
  const y = emptyTensor([rows.length, ...rest], x.dtype as 'float32' | 'int32');
  const index = tf.tensor1d(Int32Array.from(rows), 'int32');
  const inputs = { x, rows: index };
  runElements(kernel, y.size, { inputs, outputs: { y }, uniforms: { width: x.size / count } });
  index.dispose();
  return y as T;
}

/** Takes the parameters of `scatter`. */
export function scatterWgsl<T extends tf.Tensor>(x: T, rows: readonly number[], total: number): T {
  const inverse = new Array<number>(total).fill(-1);
  rows.forEach((row, index) => (inverse[row] = index));
  return gatherWgsl(x, inverse);
}
