import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { product } from '../../../src/ops/matmul/product';

const wave = (shape: [number, number, number], step: number): tf.Tensor3D => {
  const size = shape[0] * shape[1] * shape[2];
  return tf.tensor3d(
    Float32Array.from({ length: size }, (_, i) => Math.sin(step * i)),
    shape,
  );
};

it.each([
  ['small', 20],
  ['large', 150],
])('%s batches give on wasm what the textbook gives, and so do their gradients', async (_, length) => {
  const engine = await openEngine({ backend: 'wasm' });
  const a = wave([3, length, 16], 0.7);
  const b = wave([3, 16, length], 0.3);
  const dy = wave([3, length, length], 0.9);
  const ours = [
    product(a, b),
    ...tf.grads((x, y) => product(x as tf.Tensor3D, y as tf.Tensor3D))([a, b], dy),
  ];
  const textbook = [tf.matMul(a, b), tf.matMul(dy, b, false, true), tf.matMul(a, dy, true, false)];
  ours.forEach((result, index) => {
    expect(result.shape).toEqual(textbook[index].shape);
    const error = tf.max(tf.abs(tf.sub(result, textbook[index]))).dataSync()[0];
    expect(error).toBeLessThan(1e-4);
  });
  engine.dispose();
});
