/**
 * A device with the least that the specification guarantees: 8 storage buffers, 16 KiB of workgroup memory, 256
 * invocations, 128 MiB in a binding. A kernel that asks for more is refused by name. That a run has the rows of a good
 * device is tested in `matrix/gauntlet.webgpu.test.ts`.
 */
import { leastDevice } from '../fixtures/webgpu/bad-devices';
import type * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { defineKernel, emptyTensor, runKernel } from '../../src/gpu/kernel';
import { refusal } from '../model/refusal';

let engine: Engine | null = null;
afterEach(() => {
  engine?.dispose();
  engine = null;
});

it('names the kernel that such a device cannot run', async () => {
  engine = await openEngine({ backend: 'webgpu', device: await leastDevice() });
  const limits = { maxWorkgroupBytes: 16384, maxInvocations: 256, maxBindingBytes: 2 ** 27 };
  expect(engine.capabilities).toMatchObject(limits);
  const wide = defineKernel({
    ...{ name: 'wide', inputs: {}, outputs: { y: 'f32' }, uniforms: {} },
    ...{ workgroupSize: [512, 1, 1], body: 'y[0] = 1.0;' },
  });
  const y = emptyTensor<tf.Rank.R1>([1]);
  const run = (): void =>
    runKernel(wide, { inputs: {}, outputs: { y }, uniforms: {}, workgroups: [1, 1, 1] });
  const words = '"wide" takes 512 invocations in a workgroup; this GPU allows 256';
  expect(run).toThrow(refusal('gpu/kernel-too-large', words));
  y.dispose();
});
