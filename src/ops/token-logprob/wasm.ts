/**
 * What `tokenLogprob` computes of its logits, on wasm in the memory of tfjs's backend: beside exponentials and a logarithm
 * three passes there and one back.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel, rowsOf } from '../lib/row-kernel';

const shift = defineRowKernel({
  matrices: ['z', 'shifted'],
  found: ['most'],
  parts: [
    { largest: 'most', of: (_, of) => of('z') },
    { each: { shifted: (l, of) => l.subtract(of('z'), of('most')) } },
  ],
});

const addUp = defineRowKernel({
  matrices: ['e', 'sum'],
  found: ['total'],
  parts: [
    { sum: 'total', of: (_, of) => of('e') },
    { keep: 'total', at: 'sum' },
  ],
});

const lower = defineRowKernel({
  matrices: ['by', 'x'],
  found: ['log'],
  parts: [
    { number: 'log', is: (_, of) => of('by') },
    { each: { x: (l, of) => l.subtract(of('x'), of('log')) } },
  ],
});

const entropies = defineRowKernel({
  matrices: ['p', 'logP', 'entropy'],
  found: ['total'],
  parts: [
    { sum: 'total', of: (l, of) => l.multiply(of('p'), of('logP')) },
    { number: 'total', is: (l, of) => l.multiply(l.subtract(l.zero, l.one), of('total')) },
    { keep: 'total', at: 'entropy' },
  ],
});

/** @param z [rows, vocabulary] @param tokens [rows] int32 @returns [2, rows] */
export function logprobsOnHeap(z: tf.Tensor2D, tokens: tf.Tensor1D): tf.Tensor2D {
  return differentiable<tf.Tensor2D>([z], () => {
    const { value, logP, p } = statisticsOf(z, tokens.dataSync<'int32'>());
    return {
      value,
      saved: [value, logP, p, tokens],
      gradient: (dy, [value, logP, p, tokens]) => [
        () => gradientOfLogits(dy, value, logP as tf.Tensor2D, p, tokens.dataSync<'int32'>()),
      ],
    };
  });
}

interface Statistics {
  /** [2, rows] */
  value: tf.Tensor2D;
  /** [rows, vocabulary] log-probabilities, and e to them */
  logP: tf.Tensor2D;
  p: tf.Tensor2D;
}

function statisticsOf(z: tf.Tensor2D, tokens: ArrayLike<number>): Statistics {
  const [rows, vocabulary] = z.shape;
  const value = heapTensor<tf.Rank.R2>([2, rows]);
  const logP = heapTensor<tf.Rank.R2>(z.shape);
  const sum = heapTensor<tf.Rank.R2>([rows, 1]);
  shift(rows, vocabulary, { z: rowsOf(z), shifted: rowsOf(logP) }, {});
  addUp(rows, vocabulary, { e: rowsOf(tf.exp(logP)), sum: rowsOf(sum) }, {});
  lower(rows, vocabulary, { by: rowsOf(tf.log(sum)), x: rowsOf(logP) }, {});
  const p = tf.exp(logP);
  const entropy = [heapAddress(value) + 4 * rows, 4] as const;
  entropies(rows, vocabulary, { p: rowsOf(p), logP: rowsOf(logP), entropy }, {});
  const heap = heapFloats();
  const [from, to] = [heapAddress(logP) / 4, heapAddress(value) / 4];
  for (let row = 0; row < rows; row++) heap[to + row] = heap[from + row * vocabulary + tokens[row]];
  return { value, logP, p };
}

/** With d log p / dz = -p everywhere: the chosen token's 1 is added after. */
const back = defineRowKernel({
  matrices: ['p', 'logP', 'entropy', 'dChosen', 'dEntropy', 'dz'],
  found: ['h', 'byChosen', 'byEntropy'],
  parts: [
    { number: 'h', is: (_, of) => of('entropy') },
    { number: 'byChosen', is: (_, of) => of('dChosen') },
    { number: 'byEntropy', is: (_, of) => of('dEntropy') },
    {
      each: {
        dz: (l, of) =>
          l.subtract(
            l.multiply(of('byChosen'), l.subtract(l.zero, of('p'))),
            l.multiply(of('byEntropy'), l.multiply(of('p'), l.add(of('logP'), of('h')))),
          ),
      },
    },
  ],
});

/** @param dy [2, rows] @returns [rows, vocabulary] */
function gradientOfLogits(
  dy: tf.Tensor,
  value: tf.Tensor,
  logP: tf.Tensor2D,
  exponentials: tf.Tensor,
  tokens: ArrayLike<number>,
): tf.Tensor2D {
  const [rows, vocabulary] = logP.shape;
  const dz = heapTensor<tf.Rank.R2>(logP.shape);
  const [values, given] = [heapAddress(value), heapAddress(dy)];
  back(
    rows,
    vocabulary,
    {
      p: rowsOf(exponentials),
      logP: rowsOf(logP),
      entropy: [values + 4 * rows, 4],
      dChosen: [given, 4],
      dEntropy: [given + 4 * rows, 4],
      dz: rowsOf(dz),
    },
    {},
  );
  const heap = heapFloats();
  const [at, chosen] = [heapAddress(dz) / 4, given / 4];
  for (let row = 0; row < rows; row++) heap[at + row * vocabulary + tokens[row]] += heap[chosen + row];
  return dz;
}
