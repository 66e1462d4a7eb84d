/** Parts of the ops on wasm. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { gradientNorm } from '../../src/ops/adamw';
import { sampleHead } from '../../src/ops/sample-head';
import { tokenLogprobWasm } from '../../src/ops/token-logprob/wasm';
import { openEngineForAll } from '../fixtures/engine';
import { expectClose, expectDraws, HEADS, SAMPLING, scoring, testParts } from './kernel-checks';
import { f32Weight } from './random-tensors';

openEngineForAll('wasm');

testParts();

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
