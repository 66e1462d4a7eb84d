import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import type { MarbleWebGPUBackend } from '../../src/gpu/webgpu/backend';
import { measureSpeed } from '../../src/plan/speed';
import { engine, openEngineForAll } from '../fixtures/engine';
import { openUnsent } from '../fixtures/webgpu/unsent';

openEngineForAll(openUnsent); // takes no time

it('a fast device is measured with a product that fills it', async () => {
  const dispatch = vi.spyOn(tf.backend() as unknown as MarbleWebGPUBackend, 'dispatch');
  const { flopsPerSecond } = await measureSpeed(engine, { mode: 'lora' }, 0.05);
  const sizes = new Set(dispatch.mock.calls.map(([, , , , , flops = 0]) => flops));
  dispatch.mockRestore();
  expect([...sizes]).toEqual([384, 1536, 8].map((size) => 2 * size ** 3));
  expect(flopsPerSecond).toBeGreaterThan((2 * 384 ** 3) / 3e-4);
});
