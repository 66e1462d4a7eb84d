import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { requireKnownInternals } from '../../src/gpu/webgpu/known-internals';
import { requireKnownHeap } from '../../src/gpu/wasm-heap';
import { refusal, refusalOf } from '../model/refusal';

describe('tfjs', () => {
  it('of another release, whose inside is otherwise, is refused before anything is computed', () => {
    const lacking = { freeBuffers: 0, numFreeBuffers: 0, numBytesAllocated: 0 };
    const pass = { commandEncoder: 0, computePassEncoder: 0, dispatchCountInPass: 0 };
    const backend = { ...pass, commandQueueOwnedIds: 0, pipelineCache: 0 };
    requireKnownInternals(backend, { ...lacking, numBytesUsed: 0 });
    const unknown = refusal('gpu/unknown-tfjs', 'numBytesUsed');
    expect(() => requireKnownInternals(backend, lacking)).toThrow(unknown);
  });

  it('of another release is refused on wasm as well', () => {
    const wasm = { asm: { memory: new WebAssembly.Memory({ initial: 1 }) }, _malloc: 0 };
    const backend = { wasm, makeOutput: () => undefined, dataIdMap: {}, incRef: () => undefined };
    requireKnownHeap(backend);
    for (const lacking of [{ dataIdMap: undefined }, { incRef: undefined }, { wasm: { ...wasm, asm: {} } }])
      expect(() => requireKnownHeap({ ...backend, ...lacking })).toThrow(refusal('gpu/unknown-tfjs'));
  });

  it('that does not start its wasm backend says so', async () => {
    const backend = 'wasm';
    await import('@tensorflow/tfjs-backend-wasm');
    const factory = tf.findBackendFactory(backend);
    tf.removeBackend(backend);
    tf.registerBackend(backend, () => {
      throw new Error('no memory');
    });
    expect(await refusalOf(() => openEngine({ backend }))).toBe('gpu/no-wasm');
    tf.removeBackend(backend);
    tf.registerBackend(backend, factory);
    (await openEngine({ backend })).dispose();
  });
});
