/** `swiglu` on wasm, in the memory of tfjs's backend: one pass each way. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapTensor } from '../../gpu/wasm-heap';
import type { JointProjection } from '../joint-linear/projection';
import { linearPartsWasm } from '../joint-linear/wasm';
import { computedTogether, differentiable, recomputable } from '../lib/differentiable';
import { rowsOf, runRows } from '../lib/row-kernel';

/** Gradients of the ops that read the result recompute it in one pass over both projections. */
export function swigluWasm(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  const [gate, up] = linearPartsWasm(x, gateUp);
  return recomputable(gated(gate, up), {
    sources: [gate, up],
    compute: ([gate, up]) => gated(gate as tf.Tensor2D, up as tf.Tensor2D),
  });
}

/** @param gate [rows, width] @param up [rows, width] */
function gated(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  const [rows, width] = gate.shape;
  return differentiable<tf.Tensor2D>([gate, up], () => {
    const y = heapTensor<tf.Rank.R2>(gate.shape);
    runRows('swiglu', rows, width, [gate, up, y].map(rowsOf));
    return {
      value: y,
      saved: [gate, up],
      gradient: (dy, [gate, up]) =>
        computedTogether(2, () => {
          const [dGate, dUp] = [gate, up].map(() => heapTensor<tf.Rank.R2>([rows, width]));
          runRows('swigluGradient', rows, width, [dy, gate, up, dGate, dUp].map(rowsOf));
          return [dGate, dUp];
        }),
    };
  });
}
