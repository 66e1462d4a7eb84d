/** `rope` on wasm, in the memory of tfjs's backend: one pass over all heads. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { runRows, sameRow, type Rows } from '../lib/row-kernel';
import type { Rotation } from './rotation';

/** There may be more positions than rows, and the last ones apply. */
export function ropeWasm(x: tf.Tensor3D, { positions, tables }: Rotation): tf.Tensor3D {
  const [rows, heads, headDim] = x.shape;
  const width = heads * headDim;
  const rotate = (input: tf.Tensor3D, at: tf.Tensor, sign: 1 | -1): tf.Tensor3D => {
    const output = heapTensor<tf.Rank.R3>(x.shape);
    const [from, to] = [input, output].map((tensor): Rows => [heapAddress(tensor), 4 * width]);
    const places: Rows = [heapAddress(at) + 4 * (at.size - rows), 4];
    runRows('rotateHeads', rows, width, [from, places, sameRow(tables.angles), to], [headDim, sign]);
    return output;
  };
  return differentiable<tf.Tensor3D>([x], () => ({
    value: rotate(x, positions, 1),
    saved: [positions],
    gradient: (dy, [at]) => [() => rotate(dy, at, -1)],
  }));
}
