import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { heapAddress, heapTensor } from '../../../src/gpu/wasm-heap';
import { product } from '../../../src/ops/lib/product';
import { multiplyOnHeap } from '../../../src/ops/matmul/wasm';

const wave = (shape: [number, number, number], step: number): tf.Tensor3D => {
  const size = shape[0] * shape[1] * shape[2];
  return tf.tensor3d(
    Float32Array.from({ length: size }, (_, i) => Math.sin(step * i)),
    shape,
  );
};

it('a product of batches gives what the textbook gives, and so do its gradients', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const a = wave([3, 20, 16], 0.7);
  const b = wave([3, 16, 20], 0.3);
  const dy = wave([3, 20, 20], 0.9);
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
  ['of odd sizes', [5, 7, 13, 9]],
  ['of single rows', [8, 1, 16, 33]],
  ['of many rows', [1, 70, 40, 50]],
  ['with sums that go on in runs', [2, 33, 1300, 13]],
  ['of a row with such sums', [1, 1, 1300, 37]],
  ['without terms', [2, 5, 0, 9]],
])('products on the heap %s, as they lie and turned, alone and added', async (_, [count, m, k, n]) => {
  const engine = await openEngine({ backend: 'wasm' });
  for (const turn of ['neither', 'a', 'b']) {
    const [a, b] = [wave([count, m, k], 0.7), wave([count, k, n], 0.3)];
    const lying = (matrix: tf.Tensor3D, isTurned: boolean): number =>
      heapAddress(isTurned ? tf.transpose(matrix, [0, 2, 1]) : matrix);
    const c = heapTensor<tf.Rank.R3>([count, m, n]);
    const product = {
      ...{ a: lying(a, turn === 'a'), b: lying(b, turn === 'b'), c: heapAddress(c), batch: count, m, n, k },
      ...{ nextA: 4 * m * k, nextB: 4 * k * n, nextC: 4 * m * n },
      ...{ rowA: turn === 'a' ? 4 : 4 * k, stepA: turn === 'a' ? 4 * m : 4 },
      ...{ rowB: turn === 'b' ? 4 : 4 * n, stepB: turn === 'b' ? 4 * k : 4, rowC: 4 * n },
    };
    const expected = textbook(a.dataSync<'float32'>(), b.dataSync<'float32'>(), [count, m, k, n]);
    const expectResult = (added: (i: number) => number): void => {
      const found = c.dataSync();
      expected.forEach((value, i) => expect(Math.abs(found[i] - value - added(i))).toBeLessThan(1e-4));
    };
    multiplyOnHeap(product);
    expectResult(() => 0);
    multiplyOnHeap({ ...product, from: product.c });
    expectResult((i) => expected[i]);
    if (count > 1) continue;
    const bias = wave([1, 1, n], 0.9);
    multiplyOnHeap({ ...product, from: heapAddress(bias), rowFrom: 0 });
    expectResult((i) => Math.sin(0.9 * (i % n)));
  }
  engine.dispose();
});

function textbook(a: Float32Array, b: Float32Array, [count, m, k, n]: readonly number[]): Float64Array {
  return Float64Array.from({ length: count * m * n }, (_, at) => {
    const [i, j, batch] = [Math.floor(at / n) % m, at % n, Math.floor(at / (m * n))];
    let sum = 0;
    for (let x = 0; x < k; x++) sum += a[(batch * m + i) * k + x] * b[(batch * k + x) * n + j];
    return sum;
  });
}
