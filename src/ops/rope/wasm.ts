/** `rope` on wasm, in the memory of tfjs's backend: one pass over each head. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel } from '../lib/row-kernel';

/** @param sign 1 there, -1 back */
const turn = defineRowKernel({
  matrices: ['first', 'second', 'cos', 'sin', 'firstTo', 'secondTo'],
  given: ['sign'],
  parts: [
    {
      each: {
        firstTo: (l, of) =>
          l.subtract(
            l.multiply(of('first'), of('cos')),
            l.multiply(of('second'), l.multiply(of('sign'), of('sin'))),
          ),
        secondTo: (l, of) =>
          l.add(
            l.multiply(of('second'), of('cos')),
            l.multiply(of('first'), l.multiply(of('sign'), of('sin'))),
          ),
      },
    },
  ],
});

/** @param x [rows, heads, headDim] @param rotation [rows or more, 1, headDim] each, both halves the same: their last rows */
export function ropeOnHeap(
  x: tf.Tensor3D,
  { cos, sin }: { cos: tf.Tensor3D; sin: tf.Tensor3D },
): tf.Tensor3D {
  const [rows, heads, headDim] = x.shape;
  const half = headDim / 2;
  const turned = (input: tf.Tensor3D, cos: tf.Tensor, sin: tf.Tensor, sign: 1 | -1): tf.Tensor3D => {
    const output = heapTensor<tf.Rank.R3>(x.shape);
    const before = 4 * headDim * (cos.shape[0] - rows);
    const [cosAt, sinAt] = [cos, sin].map((table) => heapAddress(table) + before);
    const angles = { cos: [cosAt, 4 * headDim], sin: [sinAt, 4 * headDim] } as const;
    const row = 4 * heads * headDim;
    for (let head = 0; head < heads; head++) {
      const [from, to] = [input, output].map((tensor) => heapAddress(tensor) + 4 * head * headDim);
      turn(
        rows,
        half,
        {
          ...{ first: [from, row], second: [from + 4 * half, row], ...angles },
          ...{ firstTo: [to, row], secondTo: [to + 4 * half, row] },
        },
        { sign },
      );
    }
    return output;
  };
  return differentiable<tf.Tensor3D>([x], () => ({
    value: turned(x, cos, sin, 1),
    saved: [cos, sin],
    gradient: (dy, [cos, sin]) => [() => turned(dy, cos, sin, -1)],
  }));
}
