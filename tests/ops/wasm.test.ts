/** Parts of the ops on wasm. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { heapAddress } from '../../src/gpu/wasm-heap';
import { gradientNorm } from '../../src/ops/adamw';
import { sampleHead } from '../../src/ops/sample-head';
import { softmaxWasm } from '../../src/ops/lib/softmax.wasm';
import { tokenLogprobWasm } from '../../src/ops/token-logprob/wasm';
import { openEngineForAll } from '../fixtures/engine';
import {
  expectAdamWSteps,
  expectClose,
  expectDraws,
  expectEnded,
  expectFlattened,
  expectGathered,
  expectNorm,
  HEADS,
  SAMPLING,
  scoring,
} from './kernel-checks';
import { f32Weight } from './random-tensors';

openEngineForAll('wasm');

it('gathers floats and integers, in any order and of any shape, with their bits', expectGathered);
it('tensors and parts of them become one vector in their order', expectFlattened);
it('takes the same three steps of AdamW as the reference', expectAdamWSteps);
it('has the norm of the gradient', expectNorm);
it('has the norm of more numbers than a float32 sum can count', async () => {
  const gradient = tf.ones<tf.Rank.R1>([17 * 2 ** 20]);
  expect(await gradientNorm(gradient)).toBe(Math.sqrt(gradient.size));
  gradient.dispose();
});
it('takes rows in chunks when their logits would not fit, with the same result', async () => {
  const run = scoring((h, head, tokens, temperature, bytes) =>
    tokenLogprobWasm(h, head, tokens, temperature, bytes, bytes),
  );
  const [parts, whole] = [run(30 * 45 * 4 + 3), run(71 * 45 * 4)];
  for (let i = 0; i < 3; i++) await expectClose(parts[i], whole[i]);
});
it.each(HEADS)('draws for %i rows over %i tokens as the reference', expectDraws);
it('repeats the stop id of an ended row and no other', expectEnded);

it('draws each token as often as softmax says (chi-squared, 11 degrees of freedom, p > 0.001)', async () => {
  const [rows, vocabulary] = [20_000, 12];
  const logits = Float32Array.from({ length: vocabulary }, (_, v) => Math.sin(3 * v));
  const head = f32Weight(tf.tensor2d(logits, [vocabulary, 1]));
  const rowIds = tf.range(0, rows, 1, 'int32');
  const { tokens } = sampleHead(tf.ones([rows, 1]), head, rowIds, { ...SAMPLING, temperature: 0.8 });
  const counts = new Float64Array(vocabulary);
  for (const token of await tokens.data()) counts[token]++;
  const weights = Array.from(logits, (z) => Math.exp(z / 0.8));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const chiSquared = weights.reduce((sum, weight, v) => {
    const expected = (rows * weight) / total;
    return sum + (counts[v] - expected) ** 2 / expected;
  }, 0);
  expect(chiSquared).toBeLessThan(31.26);
});

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
