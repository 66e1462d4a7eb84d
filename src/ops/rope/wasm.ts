/** `rope` on wasm, in the memory of tfjs's backend: one pass over all heads. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { runRows, type Rows } from '../lib/row-kernel';
import { tableRows, type Rope, type Rotation } from './rotation';

export const ropeWasm: Rope = { rowsAt: tableRows, rotate: rotateLastRows };

/** The table may have more rows than `x`, and its last rows apply. */
function rotateLastRows(x: tf.Tensor3D, { rows: table }: Rotation): tf.Tensor3D {
  const { cos, sin } = table!;
  const [rows, heads, headDim] = x.shape;
  const width = heads * headDim;
  const rotate = (input: tf.Tensor3D, cos: tf.Tensor, sin: tf.Tensor, sign: 1 | -1): tf.Tensor3D => {
    const output = heapTensor<tf.Rank.R3>(x.shape);
    const skipped = 4 * headDim * (cos.shape[0] - rows);
    const [from, to] = [input, output].map((tensor): Rows => [heapAddress(tensor), 4 * width]);
    const [cosRows, sinRows] = [cos, sin].map((table): Rows => [heapAddress(table) + skipped, 4 * headDim]);
    runRows('rotateHeads', rows, width, [from, cosRows, sinRows, to], [headDim, sign]);
    return output;
  };
  return differentiable<tf.Tensor3D>([x], () => ({
    value: rotate(x, cos, sin, 1),
    saved: [cos, sin],
    gradient: (dy, [cos, sin]) => [() => rotate(dy, cos, sin, -1)],
  }));
}
