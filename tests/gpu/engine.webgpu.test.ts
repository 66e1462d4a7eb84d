import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
import { openEngine } from '../../src/gpu/engine';
import { engine, openEngineForAll } from '../fixtures/engine';
import { leastDevice } from '../fixtures/webgpu/bad-devices';
import { openUnsent } from '../fixtures/webgpu/unsent';
import { defineKernel, elementKernel, emptyTensor, runElements, runKernel } from '../../src/gpu/kernel';

describe('an engine on WebGPU', () => {
  openEngineForAll('webgpu');

  it('reaches every element of a grid that is folded', async () => {
    const places = elementKernel({
      ...{ name: 'places', inputs: {}, outputs: { y: 'f32' }, uniforms: {}, body: 'y[i] = f32(i);' },
    });
    const size = 65_535 * 64 + 1;
    const y = emptyTensor<tf.Rank.R1>([size]);
    runElements(places, size, { inputs: {}, outputs: { y }, uniforms: {} });
    expect((await y.data()).findIndex((place, i) => place !== i)).toBe(-1);
    y.dispose();
  });

  it('reads what a kernel wrote in place after an earlier readback', async () => {
    const doubling = elementKernel({
      ...{ name: 'doubling', inputs: { x: 'f32' }, outputs: { y: 'f32' }, uniforms: { offset: 'f32' } },
      body: 'y[i] = 2.0 * x[i] + uniforms.offset;',
    });
    const [x, y] = [tf.tensor1d([1, 2, 3]), tf.zeros([3])];
    const double = (offset: number): void =>
      runElements(doubling, 3, { inputs: { x }, outputs: { y }, uniforms: { offset } });
    double(0);
    expect(Array.from(await y.data())).toEqual([2, 4, 6]);
    double(10);
    expect(Array.from(await y.data())).toEqual([12, 14, 16]);
    tf.dispose([x, y]);
  });

  it('gives back the buffers of sizes that are no longer asked for', async () => {
    const before = engine.memory().allocated;
    for (let size = 10_000; size < 10_050; size++) tf.dispose(tf.tidy(() => tf.add(tf.zeros([size]), 1)));
    expect(engine.memory().allocated - before).toBeGreaterThan(50 * 40_000);
    const small = tf.zeros([8]);
    for (let i = 0; i < 2048; i++) {
      tf.dispose(tf.add(small, i));
      if (i % 2 === 0) await engine.check();
    }
    small.dispose();
    expect(engine.memory().allocated - before).toBeLessThan(100_000);
  });

  it('holds at most 128 MB more than its peak in use', () => {
    for (let size = 250_000; size < 250_400; size++) emptyTensor([size]).dispose();
    expect(engine.memory().allocated).toBeGreaterThan(64e6);
    expect(engine.memory().allocated).toBeLessThan(160e6);
  });
});

describe('a fault on the GPU', () => {
  const broken = defineKernel({
    name: 'broken',
    inputs: {},
    outputs: { y: 'f32' },
    uniforms: { count: 'u32' },
    workgroupSize: [1, 1, 1],
    body: 'y[0] = not_a_function(uniforms.count);',
  });

  it('in a shader reaches the next readback instead of zeros', async () => {
    const engine = await openEngine({ backend: 'webgpu' });
    const y = emptyTensor<tf.Rank.R1>([1]);
    runKernel(broken, { inputs: {}, outputs: { y }, uniforms: { count: 1 }, workgroups: [1, 1, 1] });
    await expect(y.data()).rejects.toMatchObject({ code: 'gpu/command-refused' });
    await expect(engine.check()).rejects.toThrow(/not_a_function/);
    engine.dispose();
  });

  it('without memory states the bytes in use', async () => {
    const engine = await openUnsent();
    const { device } = tf.backend() as unknown as { device: GPUDevice };
    const full = Object.setPrototypeOf({ message: 'Full.' }, GPUOutOfMemoryError.prototype) as GPUError;
    device.popErrorScope = () => Promise.resolve(full);
    const held = emptyTensor([3_000_000]);
    const message = expect.stringMatching(
      /13 MB were needed at once, 12 MB of them in one buffer. Full.$/,
    ) as string;
    await expect(engine.check()).rejects.toMatchObject({ code: 'gpu/out-of-memory', message });
    held.dispose();
    engine.dispose();
  });

  it('that loses the device resolves `lost` and rejects the next readback', async () => {
    const device = await leastDevice();
    const engine = await openEngine({ device });
    const x = tf.add(tf.zeros([4]), 1);
    await engine.check();
    device.destroy();
    await expect(engine.lost).resolves.toMatchObject({ code: 'gpu/device-lost' });
    await expect(x.data()).rejects.toBeInstanceOf(MarbleError);
    engine.dispose();
  });

  it('that no error scope caught reaches the next readback all the same', async () => {
    const engine = await openEngine({ backend: 'webgpu' });
    const x = tf.add(tf.zeros([4]), 1);
    await engine.check();
    const { device } = tf.backend() as unknown as { device: GPUDevice };
    for (let scope = 0; scope < 3; scope++) await device.popErrorScope();
    device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
    for (let scope = 0; scope < 3; scope++) device.pushErrorScope('validation');
    await device.queue.onSubmittedWorkDone();
    await expect(x.data()).rejects.toMatchObject({ code: 'gpu/command-refused' });
    engine.dispose();
  });
});

it('disposing of an engine destroys all its buffers on a foreign device', async () => {
  const device = await leastDevice();
  const living = new Set<GPUBuffer>();
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      living.delete(buffer);
      destroy();
    };
    living.add(buffer);
    return buffer;
  };
  const engine = await openEngine({ device });
  for (let size = 10; size < 30; size++) await tf.add(tf.zeros([size]), 1).data();
  expect(living.size).toBeGreaterThan(20);
  engine.dispose();
  expect(living.size).toBe(0);
  const lost = await Promise.race([device.lost.then(() => true), device.queue.onSubmittedWorkDone()]);
  expect(lost).toBeUndefined(); // it is theirs
  device.destroy();
});
