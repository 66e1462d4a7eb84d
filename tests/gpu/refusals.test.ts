import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { requestDevice } from '../../src/gpu/capabilities';
import { openEngine } from '../../src/gpu/engine';
import { defineKernel, runKernel } from '../../src/gpu/kernel';
import { requireKnownInternals } from '../../src/gpu/known-internals';
import { requireKnownHeap } from '../../src/gpu/wasm-heap';
import { outOfMemory } from '../../src/gpu/out-of-memory';
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
    expect(outOfMemory(1.5e9, 4e8, 'Not enough memory.')).toMatchObject({
      code: 'gpu/out-of-memory',
      message:
        'The GPU is out of memory: 1500 MB were needed at once, 400 MB of them in one buffer. Not enough memory.',
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

describe('tfjs', () => {
  it('of another release, whose inside is otherwise, is refused before anything is computed', async () => {
    const pool = { freeBuffers: 0, numFreeBuffers: 0, numBytesUsed: 0, numBytesAllocated: 0 };
    const backend = {
      commandEncoder: 0,
      computePassEncoder: 0,
      commandQueueOwnedIds: 0,
      dispatchCountInPass: 0,
      pipelineCache: 0,
    };
    expect(await refusalOf(() => requireKnownInternals(backend, pool))).toBe('accepted');
    const lacking = { freeBuffers: 0, numFreeBuffers: 0, numBytesAllocated: 0 };
    expect(await refusalOf(() => requireKnownInternals(backend, lacking))).toBe('gpu/unknown-tfjs');
    expect(await refusalTextOf(() => requireKnownInternals(backend, lacking))).toContain('numBytesUsed');
  });

  it('of another release is refused on wasm as well, where it does not show its memory', async () => {
    const wasm = { asm: { memory: new WebAssembly.Memory({ initial: 1 }) }, _malloc: 0 };
    const backend = { wasm, makeOutput: () => undefined, dataIdMap: {}, incRef: () => undefined };
    expect(await refusalOf(() => requireKnownHeap(backend))).toBe('accepted');
    for (const lacking of [
      { ...backend, dataIdMap: undefined },
      { ...backend, incRef: undefined },
      { ...backend, wasm: { ...wasm, asm: {} } },
    ]) {
      expect(await refusalOf(() => requireKnownHeap(lacking))).toBe('gpu/unknown-tfjs');
    }
  });

  it.each([
    ['cpu', 'gpu/no-backend'],
    ['wasm', 'gpu/no-wasm'],
  ] as const)('that does not start its %s backend says so', async (backend, code) => {
    await (backend === 'cpu' ? import('@tensorflow/tfjs-backend-cpu') : import('@tensorflow/tfjs-backend-wasm')); // prettier-ignore
    const factory = tf.findBackendFactory(backend);
    tf.removeBackend(backend);
    tf.registerBackend(backend, () => {
      throw new Error('no memory');
    });
    expect(await refusalOf(() => openEngine({ backend }))).toBe(code);
    tf.removeBackend(backend);
    tf.registerBackend(backend, factory);
    (await openEngine({ backend })).dispose();
  });
});
