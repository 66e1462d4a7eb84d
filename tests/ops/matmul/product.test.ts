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

it.each([
  ['small, of odd sizes', [5, 7, 13, 9]],
  ['small, with sums longer than a part', [3, 21, 130, 13]],
  ['of single rows', [8, 1, 16, 33]],
])('batches %s have the bits of tfjs on wasm', async (_, [count, m, k, n]) => {
  const engine = await openEngine({ backend: 'wasm' });
  const a = wave([count, m, k], 0.7);
  const b = wave([count, k, n], 0.3);
  expect(product(a, b).dataSync()).toEqual(tf.matMul(a, b).dataSync());
  const dy = wave([count, m, n], 0.9);
  const [, db] = tf.grads((x, y) => product(x as tf.Tensor3D, y as tf.Tensor3D))([a, b], dy);
  expect(db.dataSync()).toEqual(tf.matMul(tf.transpose(a, [0, 2, 1]), dy).dataSync());
  engine.dispose();
});

it('large batches have on wasm the bits of tfjs’s products one by one', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const a = wave([2, 50, 110], 0.7);
  const b = wave([2, 110, 50], 0.3);
  const of = (batch: tf.Tensor3D, index: number): tf.Tensor2D => tf.unstack(batch)[index] as tf.Tensor2D;
  const oneByOne = tf.stack([0, 1].map((index) => tf.matMul(of(a, index), of(b, index))));
  expect(product(a, b).dataSync()).toEqual(oneByOne.dataSync());
  engine.dispose();
});
