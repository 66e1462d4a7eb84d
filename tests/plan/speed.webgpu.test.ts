import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import type { MarbleWebGPUBackend } from '../../src/gpu/webgpu/backend';
import { measureSpeed } from '../../src/plan/speed';
import { engine, openEngineForAll } from '../fixtures/engine';
import { openUnsent } from '../fixtures/webgpu/unsent';

openEngineForAll(openUnsent);

it('a fast device is measured with a product that fills it', async () => {
  let milliseconds = 0; // of a clock that no other program slows down
  vi.spyOn(performance, 'now').mockImplementation(() => milliseconds++);
  const dispatch = vi.spyOn(tf.backend() as unknown as MarbleWebGPUBackend, 'dispatch');
  const { flopsPerSecond } = await measureSpeed(engine, { mode: 'lora' }, 0.05);
  const sizes = new Set(dispatch.mock.calls.map(([, , , , , flops = 0]) => flops));
  vi.restoreAllMocks();
  expect([...sizes]).toEqual([384, 1536, 8].map((size) => 2 * size ** 3));
  expect(flopsPerSecond).toBe((2 * 1536 ** 3) / 2.5e-4); // four products in a millisecond
});
