/** WGSL kernel of `gather` and of `scatter`. It copies 32-bit words of any type. */
import * as tf from '@tensorflow/tfjs-core';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../../gpu/kernel';

const kernel = defineKernel({
  name: 'gather',
  inputs: { x: 'u32', rows: 'i32' },
  outputs: { y: 'u32' },
  uniforms: { size: 'u32', width: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 64u + lane;
    if (i >= uniforms.size) { return; }
    let row = rows[i / uniforms.width];
    y[i] = 0u;
    if (row >= 0) { y[i] = x[u32(row) * uniforms.width + i % uniforms.width]; }`,
});

/** @param rows indices into the first axis of `x`; -1 for zeros @returns the shape of `x` with `rows.length` entries */
export function gatherWgsl<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  const [count, ...rest] = x.shape;
  const y = emptyTensor([rows.length, ...rest], x.dtype as 'float32' | 'int32');
  const index = tf.tensor1d(Int32Array.from(rows), 'int32');
  runKernel(kernel, {
    inputs: { x, rows: index },
    outputs: { y },
    uniforms: { size: y.size, width: x.size / count },
    workgroups: foldedWorkgroups(Math.ceil(y.size / 64)),
  });
  index.dispose();
  return y as T;
}

/** Takes the parameters of `scatter`. */
export function scatterWgsl<T extends tf.Tensor>(x: T, rows: readonly number[], total: number): T {
  const inverse = new Array<number>(total).fill(-1);
  rows.forEach((row, index) => (inverse[row] = index));
  return gatherWgsl(x, inverse);
}
