import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { measureSpeed } from '../../src/plan/speed';
import { engine, openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

it.each(['f32', 'bf16'] as const)('products by %s weights are timed, and nothing is left', async (format) => {
  const before = tf.memory().numTensors;
  const { flopsPerSecond, secondsPerCall } = await measureSpeed(engine, format, 0.1);
  expect(tf.memory().numTensors).toBe(before);
  expect(Number.isFinite(flopsPerSecond) && flopsPerSecond > 0).toBe(true);
  // A small product does less.
  expect(secondsPerCall).toBeLessThan((2 * 384 ** 3) / flopsPerSecond);
});
