import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { measureSpeed } from '../../src/plan/speed';
import { engine, openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

it.each(['full', 'lora'] as const)('products of %s training are timed without a leak', async (mode) => {
  const before = tf.memory().numTensors;
  const { flopsPerSecond, secondsPerCall } = await measureSpeed(engine, { mode }, 0.1);
  expect(tf.memory().numTensors).toBe(before);
  expect(Number.isFinite(flopsPerSecond) && flopsPerSecond > 0).toBe(true);
  // A small product has a lower time than a large one.
  expect(secondsPerCall).toBeLessThan((2 * 384 ** 3) / flopsPerSecond);
});
