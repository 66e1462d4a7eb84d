/** `rmsNorm` on wasm, in the memory of tfjs's backend: one pass over the rows each way. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable, recomputable } from '../lib/differentiable';
import { rowsOf, runRows, sameRow } from '../lib/row-kernel';

/** Gradients of the ops that read the norm recompute it in one pass over the rows. */
export function rmsNormWasm(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  return recomputable(normalised(x, weight, epsilon), {
    sources: [x, weight],
    compute: ([x, weight]) => normalised(x as tf.Tensor2D, weight as tf.Tensor1D, epsilon),
  });
}

function normalised(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  const [rows, width] = x.shape;
  return differentiable<tf.Tensor2D>([x, weight], () => {
    const y = heapTensor<tf.Rank.R2>(x.shape);
    const inverse = heapTensor<tf.Rank.R2>([rows, 1]);
    const matrices = [rowsOf(x), sameRow(weight), rowsOf(inverse), rowsOf(y)];
    runRows('rmsNorm', rows, width, matrices, [epsilon]);
    return {
      value: y,
      saved: [x, weight, inverse],
      gradient: (dy, [input, gain, inverse]) => [
        () => {
          const dx = heapTensor<tf.Rank.R2>(x.shape);
          const matrices = [rowsOf(dy), rowsOf(input), sameRow(gain), rowsOf(inverse), rowsOf(dx)];
          runRows('rmsNormGradient', rows, width, matrices);
          return dx;
        },
        () => {
          const dGain = heapTensor<tf.Rank.R1>([width]);
          heapValues(dGain).fill(0);
          const matrices = [rowsOf(dy), rowsOf(input), rowsOf(inverse), sameRow(dGain)];
          runRows('rmsNormGainGradient', rows, width, matrices, [], false);
          return dGain;
        },
      ],
    };
  });
}
