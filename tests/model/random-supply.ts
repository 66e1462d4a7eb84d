import * as tf from '@tensorflow/tfjs-core';
import { createRandom } from '../../src/base/random';
import type { TensorSupply } from '../../src/model/files/build-weights';
import { elementsOf } from '../../src/model/files/safetensors';

/**
 * Supplies random weights from a seed: normal matrices, norms of 1, biases of 0. Every tensor has a separate random stream.
 *
 * @param deviation standard deviation of the matrices
 * @param trainable true if the matrices receive gradients
 */
export function randomSupply(seed: number, deviation: number, trainable = true): TensorSupply {
  let stream = 0;
  return {
    matrix(parts) {
      const inputs = parts[0].shape[1];
      const outputs = parts.reduce((sum, { shape }) => sum + shape[0], 0);
      const values = new Float32Array(outputs * inputs);
      let offset = 0;
      for (const part of parts) {
        const random = createRandom(seed, stream++);
        const end = offset + elementsOf(part);
        while (offset < end) values[offset++] = random.normal() * deviation;
      }
      const data = tf.keep(tf.tensor2d(values, [outputs, inputs]));
      return Promise.resolve({ format: 'f32', data, outputs, inputs, trainable });
    },
    vector(parts) {
      const size = parts.reduce((sum, { shape }) => sum + shape[0], 0);
      return Promise.resolve(tf.keep(parts[0].name.endsWith('.bias') ? tf.zeros([size]) : tf.ones([size])));
    },
  };
}
