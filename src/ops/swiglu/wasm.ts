/** `swiglu` on wasm, in the memory of tfjs's backend: beside the sigmoid one pass each way. */
import * as tf from '@tensorflow/tfjs-core';
import { heapTensor } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel, sameRow as all } from '../lib/row-kernel';

const forward = defineRowKernel({
  matrices: ['gate', 's', 'up', 'y'],
  parts: [{ each: { y: (l, of) => l.multiply(l.multiply(of('gate'), of('s')), of('up')) } }],
});

const byUp = defineRowKernel({
  matrices: ['dy', 'gate', 's', 'dUp'],
  parts: [{ each: { dUp: (l, of) => l.multiply(of('dy'), l.multiply(of('gate'), of('s'))) } }],
});

const byGate = defineRowKernel({
  matrices: ['dy', 'gate', 's', 'up', 'dGate'],
  parts: [
    {
      each: {
        dGate: (l, of) => {
          const silu = l.multiply(of('gate'), of('s'));
          const slope = l.add(of('s'), l.subtract(silu, l.multiply(silu, of('s'))));
          return l.multiply(l.multiply(of('dy'), of('up')), slope);
        },
      },
    },
  ],
});

/** @param gate [rows, width] @param up [rows, width] */
export function swigluOnHeap(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  const { shape, size } = gate;
  return differentiable<tf.Tensor2D>([gate, up], () => {
    const s = tf.sigmoid(gate);
    const y = heapTensor<tf.Rank.R2>(shape);
    forward(1, size, { gate: all(gate), s: all(s), up: all(up), y: all(y) }, {});
    return {
      value: y,
      saved: [gate, up, s],
      gradient: (dy, [gate, up, s]) => {
        const at = { dy: all(dy), gate: all(gate), s: all(s) };
        return [
          () => {
            const dGate = heapTensor<tf.Rank.R2>(shape);
            byGate(1, size, { ...at, up: all(up), dGate: all(dGate) }, {});
            return dGate;
          },
          () => {
            const dUp = heapTensor<tf.Rank.R2>(shape);
            byUp(1, size, { ...at, dUp: all(dUp) }, {});
            return dUp;
          },
        ];
      },
    };
  });
}
