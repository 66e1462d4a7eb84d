import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { requestDevice } from '../../src/gpu/capabilities';
import { outOfMemory } from '../../src/gpu/webgpu/device-faults';
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

  it('whose memory is too small is named with what was needed', () => {
    const message = expect.stringMatching(/1500 MB .*400 MB .*Not enough memory\./) as string;
    expect(outOfMemory(1.5e9, 4e8, 'Not enough memory.')).toMatchObject({
      code: 'gpu/out-of-memory',
      message,
    });
  });

  it('is not given more workgroups than it runs', () => {
    const backend = { device: { limits: { maxComputeWorkgroupsPerDimension: 65_535 } } };
    const active = vi.spyOn(tf.engine(), 'backend', 'get').mockReturnValue(backend as never);
    const nothing = { inputs: {}, outputs: {}, uniforms: {} };
    const kernel = defineKernel({ name: 'nothing', ...nothing, workgroupSize: [1, 1, 1], body: '' });
    const run = (count: number): void => runKernel(kernel, { ...nothing, workgroups: [1, count, 1] });
    expect(() => run(65_536)).toThrow(refusal('gpu/too-many-workgroups'));
    active.mockRestore();
  });
});
