/** Parts of the ops on wasm. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { heapAddress } from '../../src/gpu/wasm-heap';
import { softmaxWasm } from '../../src/ops/lib/softmax.wasm';
import { openEngineForAll } from '../fixtures/engine';
import { expectFlattened, expectGathered } from './kernel-checks';

openEngineForAll('wasm');

it('gathers floats and integers, in any order and of any shape, with their bits', expectGathered);
it('tensors and parts of them become one vector in their order', expectFlattened);

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
