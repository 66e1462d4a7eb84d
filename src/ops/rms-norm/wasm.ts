/** `rmsNorm` on wasm, in the memory of tfjs's backend: one pass over the rows each way. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel, rowsOf, sameRow } from '../lib/row-kernel';

const normalise = defineRowKernel({
  matrices: ['x', 'gain', 'inverse', 'y'],
  given: ['width', 'epsilon'],
  found: ['squares', 'r'],
  parts: [
    { sum: 'squares', of: (l, of) => l.multiply(of('x'), of('x')) },
    {
      number: 'r',
      is: (l, of) =>
        l.divide(l.one, l.squareRoot(l.add(l.divide(of('squares'), of('width')), of('epsilon')))),
    },
    { keep: 'r', at: 'inverse' },
    { each: { y: (l, of) => l.multiply(l.multiply(of('x'), of('r')), of('gain')) } },
  ],
});

const backByInput = defineRowKernel({
  matrices: ['dy', 'x', 'gain', 'inverse', 'dx'],
  given: ['width'],
  found: ['r', 'along'],
  parts: [
    { number: 'r', is: (_, of) => of('inverse') },
    {
      sum: 'along',
      of: (l, of) => l.multiply(l.multiply(of('dy'), of('gain')), l.multiply(of('x'), of('r'))),
    },
    { number: 'along', is: (l, of) => l.divide(of('along'), of('width')) },
    {
      each: {
        dx: (l, of) => {
          const normal = l.multiply(of('x'), of('r'));
          const g = l.multiply(of('dy'), of('gain'));
          return l.multiply(of('r'), l.subtract(g, l.multiply(normal, of('along'))));
        },
      },
    },
  ],
});

const backByGain = defineRowKernel({
  matrices: ['dy', 'x', 'inverse', 'dGain'],
  found: ['r'],
  parts: [
    { number: 'r', is: (_, of) => of('inverse') },
    {
      each: {
        dGain: (l, of) => l.add(of('dGain'), l.multiply(of('dy'), l.multiply(of('x'), of('r')))),
      },
    },
  ],
});

export function rmsNormOnHeap(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  const [rows, width] = x.shape;
  return differentiable<tf.Tensor2D>([x, weight], () => {
    const y = heapTensor<tf.Rank.R2>(x.shape);
    const inverse = heapTensor<tf.Rank.R2>([rows, 1]);
    normalise(
      rows,
      width,
      { x: rowsOf(x), gain: sameRow(weight), inverse: rowsOf(inverse), y: rowsOf(y) },
      { width, epsilon },
    );
    return {
      value: y,
      saved: [x, weight, inverse],
      gradient: (dy, [input, gain, inverse]) => {
        const at = { dy: rowsOf(dy), x: rowsOf(input), inverse: rowsOf(inverse) };
        return [
          () => {
            const dx = heapTensor<tf.Rank.R2>(x.shape);
            backByInput(rows, width, { ...at, gain: sameRow(gain), dx: rowsOf(dx) }, { width });
            return dx;
          },
          () => {
            const dGain = heapTensor<tf.Rank.R1>([width]);
            heapValues(dGain).fill(0);
            backByGain(rows, width, { ...at, dGain: sameRow(dGain) }, {});
            return dGain;
          },
        ];
      },
    };
  });
}
