/** `adamW` on wasm, in the memory of tfjs's backend: one pass over the vectors. */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { call, inParts, piecesOf } from '../../gpu/wasm-kernels';
import { flatten } from '../flat';
import type { AdamWSettings, AdamWState } from './state';

/** Operations per element. */
const FLOPS_OF_ELEMENT = 16;

export function adamWWasm(state: AdamWState, gradient: tf.Tensor1D, settings: AdamWSettings): void {
  const { learningRate, beta1, beta2, epsilon, weightDecay, update, gradientScale } = settings;
  const { size } = gradient;
  const next = [1, 2, 3].map(() => tf.keep(heapTensor<tf.Rank.R1>([size])));
  const old = [state.parameters, state.moment1, state.moment2];
  const corrections = [1 - Math.pow(beta1, update), 1 - Math.pow(beta2, update)];
  const decays = [beta1, beta2, 1 - beta1, 1 - beta2];
  const numbers = [gradientScale, ...decays, ...corrections, epsilon, weightDecay, learningRate];
  inParts(FLOPS_OF_ELEMENT * size, (parts) => {
    for (const [first, count] of piecesOf(size, parts, 4)) {
      const vectors = [...old, gradient, ...next].map((tensor) => heapAddress(tensor) + 4 * first);
      call('adamW', [count, ...vectors, ...numbers]);
    }
  });
  tf.dispose(old);
  const [parameters, moment1, moment2] = next;
  Object.assign(state, { parameters, moment1, moment2 });
}

/** Most terms of a float32 sum. One of ten million squares is wrong by a percent. */
const TERMS = 2 ** 20;

/** Euclidean norm. The sums of parts are added in double precision. */
export async function gradientNormWasm(gradient: tf.Tensor1D): Promise<number> {
  let total = 0;
  for (let offset = 0; offset < gradient.size; offset += TERMS) {
    const size = Math.min(TERMS, gradient.size - offset);
    const squares = tf.tidy(() => {
      const part = size === gradient.size ? gradient : flatten([{ tensor: gradient, offset, size }]);
      return tf.sum(tf.mul(part, part));
    });
    total += (await squares.data())[0];
    squares.dispose();
  }
  return Math.sqrt(total);
}
