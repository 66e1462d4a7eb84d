import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { requestDevice } from '../../src/gpu/capabilities';
import { defineKernel, runKernel } from '../../src/gpu/kernel';
import { refusal } from '../model/refusal';

describe('a GPU', () => {
  it('whose adapter opens no device is named with the next step', async () => {
    const adapter = {
      info: { vendor: 'ours', architecture: '', device: '', description: '' },
      limits: { maxBufferSize: 1 },
      features: new Set(),
      requestDevice: () => Promise.reject(new Error('the GPU process is gone')),
    } as unknown as GPUAdapter;
    const gone = refusal('gpu/no-device', 'the GPU process is gone');
    await expect(requestDevice(adapter)).rejects.toEqual(gone);
  });

  it('is not given more or larger workgroups than it runs', () => {
    const limits = {
      maxComputeWorkgroupsPerDimension: 65_535,
      maxStorageBuffersPerShaderStage: 8,
      maxComputeInvocationsPerWorkgroup: 256,
    };
    const active = vi.spyOn(tf.engine(), 'backend', 'get').mockReturnValue({ device: { limits } } as never);
    onTestFinished(() => active.mockRestore());
    const nothing = { inputs: {}, outputs: {}, uniforms: {} };
    const run = (count: number, size: number): void =>
      runKernel(defineKernel({ name: 'wide', ...nothing, workgroupSize: [size, 1, 1], body: '' }), {
        ...nothing,
        workgroups: [1, count, 1],
      });
    expect(() => run(65_536, 1)).toThrow(refusal('gpu/too-many-workgroups'));
    const words = '"wide" takes 512 invocations in a workgroup; this GPU allows 256';
    expect(() => run(1, 512)).toThrow(refusal('gpu/kernel-too-large', words));
  });
});
