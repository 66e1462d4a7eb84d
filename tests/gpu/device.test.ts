import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { requestDevice } from '../../src/gpu/capabilities';
import { outOfMemory } from '../../src/gpu/webgpu/device-faults';
import { defineKernel, runKernel } from '../../src/gpu/kernel';
import { refusalOf, refusalTextOf } from '../model/refusal';

describe('a GPU', () => {
  it('whose adapter opens no device is named with the next step', async () => {
    const adapter = {
      info: { vendor: 'ours', architecture: '', device: '', description: '' },
      limits: { maxBufferSize: 1 },
      features: new Set(),
      requestDevice: () => Promise.reject(new Error('the GPU process is gone')),
    } as unknown as GPUAdapter;
    expect(await refusalOf(() => requestDevice(adapter))).toBe('gpu/no-device');
    expect(await refusalTextOf(() => requestDevice(adapter))).toContain('the GPU process is gone');
  });

  it('whose memory is too small is named with what was needed', () => {
    const message = expect.stringMatching(/1500 MB .*400 MB .*Not enough memory\./) as string;
    expect(outOfMemory(1.5e9, 4e8, 'Not enough memory.')).toMatchObject({
      code: 'gpu/out-of-memory',
      message,
    });
  });

  it('is not given more workgroups than it runs', async () => {
    const backend = { device: { limits: { maxComputeWorkgroupsPerDimension: 65_535 } } };
    const active = vi.spyOn(tf.engine(), 'backend', 'get').mockReturnValue(backend as never);
    const kernel = defineKernel({
      name: 'nothing',
      inputs: {},
      outputs: {},
      uniforms: {},
      workgroupSize: [1, 1, 1],
      body: '',
    });
    const run = (count: number): void =>
      runKernel(kernel, { inputs: {}, outputs: {}, uniforms: {}, workgroups: [1, count, 1] });
    expect(await refusalOf(() => run(65_536))).toBe('gpu/too-many-workgroups');
    active.mockRestore();
  });
});
