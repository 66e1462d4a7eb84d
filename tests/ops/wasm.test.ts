/** Parts of the ops on wasm: products and a softmax in the memory of tfjs's backend. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { heapAddress, heapTensor } from '../../src/gpu/wasm-heap';
import { softmaxWasm } from '../../src/ops/lib/softmax.wasm';
import { multiplyWasm } from '../../src/ops/matmul/wasm';
import { openEngineForAll } from '../fixtures/engine';
import { expectFlattened, expectGathered } from './kernel-checks';

openEngineForAll('wasm');

it('gathers floats and integers, in any order and of any shape, with their bits', expectGathered);
it('tensors and parts of them become one vector in their order', expectFlattened);

const wave = (shape: [number, number, number], step: number): tf.Tensor3D => {
  const size = shape[0] * shape[1] * shape[2];
  return tf.tensor3d(
    Float32Array.from({ length: size }, (_, i) => Math.sin(step * i)),
    shape,
  );
};

it.each([
  ['of odd sizes', [5, 7, 13, 9]],
  ['of single rows', [8, 1, 16, 33]],
  ['of many rows', [1, 70, 40, 50]],
  ['with sums that go on in runs', [2, 33, 1300, 13]],
  ['of a row with such sums', [1, 1, 1300, 37]],
  ['without terms', [2, 5, 0, 9]],
])('products on the heap %s, as stored and transposed, alone and added', (_, [count, m, k, n]) => {
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
    multiplyWasm(product);
    expectResult(() => 0);
    multiplyWasm({ ...product, from: product.c });
    expectResult((i) => expected[i]);
    if (count > 1) continue;
    const bias = wave([1, 1, n], 0.9);
    multiplyWasm({ ...product, from: heapAddress(bias), rowFrom: 0 });
    expectResult((i) => Math.sin(0.9 * (i % n)));
  }
});

function textbook(a: Float32Array, b: Float32Array, [count, m, k, n]: readonly number[]): Float64Array {
  return Float64Array.from({ length: count * m * n }, (_, at) => {
    const [i, j, batch] = [Math.floor(at / n) % m, at % n, Math.floor(at / (m * n))];
    let sum = 0;
    for (let x = 0; x < k; x++) sum += a[(batch * m + i) * k + x] * b[(batch * k + x) * n + j];
    return sum;
  });
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 11, 30, 61, 64, 135])(
  'softmax over %i columns gives what tfjs gives over rows in which -1e9 stands where nothing counts',
  (columns) => {
    const [rows, heads] = [6, 2];
    for (let prefix = 0; prefix < columns; prefix += columns > 30 ? 17 : 3) {
      for (const first of new Set([0, Math.floor(prefix / 2), prefix])) {
        for (const growth of [0, 1] as const) {
          const most = growth ? columns - rows + 1 : columns;
          for (let end = prefix + 1; end <= most; end += columns > 30 ? 13 : 5) {
            const scale = end % 2 ? 1 : 0.3;
            const scores = tf.tensor2d(
              Float32Array.from({ length: rows * heads * columns }, (_, i) => 30 * Math.sin(i * i + end)),
              [rows * heads, columns],
            );
            const masked = scores.dataSync().map((value, i) => {
              const [row, column] = [Math.floor(i / columns / heads), i % columns];
              const counts = column < first || (column >= prefix && column < end + growth * row);
              return counts ? Math.fround(value * Math.fround(scale)) : -1e9;
            });
            const expected = tf.tidy(() => tf.softmax(tf.tensor2d(masked, scores.shape)).dataSync());
            softmaxWasm({
              ...{ address: heapAddress(scores), rows, heads, columns, growth, scale },
              ...{ first, second: prefix, end },
            });
            const error = scores
              .dataSync<'float32'>()
              .reduce((most, weight, i) => Math.max(most, Math.abs(weight - expected[i])), 0);
            expect(error).toBeLessThan(1e-6);
            scores.dispose();
          }
        }
      }
    }
  },
);
