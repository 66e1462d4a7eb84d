/** Threads of the wasm backend: the same bits as one thread, and a named error when a helper is gone. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { startNodeHelper } from '../../src/gpu/threads/start-helper';
import type { StartHelper } from '../../src/gpu/threads/pool';
import { heapAddress, heapTensor } from '../../src/gpu/wasm-heap';
import { multiplyWasm, strided } from '../../src/ops/matmul/wasm';
import { sharedMemoryAvailable } from '../../src/gpu/threads/shared-memory';
import { openWithHelper } from './threads/ended-helper';
import { sampled } from '../fixtures/sample';
import { hashSteps, stepConfigs } from '../fixtures/step-hashes';

it.each([
  ['ladder-398k, all weights', sampled([1, 4], [1, 2, 4])],
  ['hitom-mini, LoRA', sampled([1, 2], [1, 2, 4])],
])('%s: a step has the same bits on %j threads', async (name, counts) => {
  const hashes = [];
  for (const threads of counts) {
    const engine = await openEngine({ backend: 'wasm', threads });
    expect(engine.threads).toBe(threads);
    hashes.push(await hashSteps(engine, stepConfigs[name]));
    engine.dispose();
  }
  for (const hash of hashes) expect(hash).toEqual(hashes[0]);
});

it('a helper that has ended fails the step with a named error', async () => {
  const { engine, endHelper } = await openWithHelper();
  onTestFinished(() => engine.dispose());
  await endHelper();
  const step = hashSteps(engine, stepConfigs['ladder-12k, LoRA']);
  await expect(step).rejects.toThrow('A thread that computes a part of each step has stopped.');
});

/** One float32 product of so many operations. */
function multiply(m: number, n: number, k: number): void {
  const [a, b, c] = [tf.ones([m, k]), tf.ones([k, n]), heapTensor<tf.Rank.R2>([m, n])];
  const [left, right, to] = [
    strided(heapAddress(a), k),
    strided(heapAddress(b), n),
    strided(heapAddress(c), n),
  ];
  multiplyWasm(left, right, to, [m, n, k]);
  expect(c.dataSync()[m * n - 1]).toBe(k);
  tf.dispose([a, b, c]);
}

it('a product in a separate round is divided among threads if it is large', async () => {
  let control = new SharedArrayBuffer(0);
  const startHelper: StartHelper = (data) => {
    ({ control } = data);
    return startNodeHelper(data);
  };
  const engine = await openEngine({ backend: 'wasm', threads: 2, startHelper });
  onTestFinished(() => engine.dispose());
  const rounds = (): number => Atomics.load(new Int32Array(control, 0, 16), 2);
  multiply(8, 8, 8);
  expect(rounds()).toBe(0);
  multiply(64, 256, 256);
  expect(rounds()).toBe(1);
});

it('a helper is not lost where hours pass while the computer sleeps', async () => {
  const engine = await openEngine({ backend: 'wasm', threads: 2 });
  onTestFinished(() => engine.dispose());
  const clock = performance.now.bind(performance);
  let slept = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + (slept += 3_600_000));
  onTestFinished(() => void vi.restoreAllMocks());
  // Seven equal jobs: one thread waits for the other's last one.
  multiply(100, 168, 100_000);
});

it('one thread computes where no helper starts', async () => {
  const startHelper = () => Promise.reject(new Error('no worker'));
  const engine = await openEngine({ backend: 'wasm', threads: 2, startHelper });
  onTestFinished(() => engine.dispose());
  expect(engine.threads).toBe(1);
});

it('memory can be shared in Node, and in a page only if it is cross-origin isolated', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(sharedMemoryAvailable()).toBe(true);
  for (const isIsolated of [true, false]) {
    vi.stubGlobal('crossOriginIsolated', isIsolated);
    expect(sharedMemoryAvailable()).toBe(isIsolated);
  }
});
