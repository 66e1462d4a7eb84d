/** GPU time of each kernel, by the device's timestamps. Must be imported before anything that imports tfjs. */
import { create, globals } from 'webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { openEngine } from '../src/index';
import type { MarbleWebGPUBackend } from '../src/gpu/webgpu/backend';
import type { Internals } from '../src/gpu/webgpu/known-internals';

/** Timestamps per query set; WebGPU allows no more. */
const QUERIES = 4096;

// Browsers and Dawn round timestamps to 0.1 ms by default.
const gpu = create([
  'enable-dawn-features=allow_unsafe_apis',
  'disable-dawn-features=timestamp_quantization',
]);
Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node' }, configurable: true });
const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
if (!adapter) throw new Error('Node found no WebGPU adapter.');
const requiredLimits: Record<string, number> = {};
for (const name in adapter.limits) {
  const limit = (adapter.limits as unknown as Record<string, unknown>)[name];
  if (typeof limit === 'number') requiredLimits[name] = limit;
}
const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'], requiredLimits });
export const engine = await openEngine({ backend: 'webgpu', device });
const backend = tf.backend() as unknown as MarbleWebGPUBackend;

export interface KernelTime {
  ms: number;
  /** Number of dispatches. */
  count: number;
}

/** Runs `work` with each of Marble's dispatches in its own pass, between two timestamps. @returns times by kernel */
export async function gpuTimes(work: () => Promise<void>): Promise<Map<string, KernelTime>> {
  const internals = backend as unknown as Internals & {
    ensureCommandEncoderReady(): void;
    endComputePassEncoder(): void;
  };
  const times = new Map<string, KernelTime>();
  const waiting: Promise<void>[] = [];
  let querySet = device.createQuerySet({ type: 'timestamp', count: QUERIES });
  let labels: string[] = [];
  const resolveQueries = (): void => {
    if (labels.length === 0) return;
    const [from, queries] = [labels, querySet];
    labels = [];
    querySet = device.createQuerySet({ type: 'timestamp', count: QUERIES });
    const bytes = QUERIES * 8;
    const resolved = device.createBuffer({ size: bytes, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC }); // prettier-ignore
    const read = device.createBuffer({
      size: bytes,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    backend.flush();
    const encoder = device.createCommandEncoder();
    encoder.resolveQuerySet(queries, 0, 2 * from.length, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, read, 0, bytes);
    device.queue.submit([encoder.finish()]);
    waiting.push(
      read.mapAsync(GPUMapMode.READ).then(() => {
        const stamps = new BigUint64Array(read.getMappedRange());
        from.forEach((label, i) => {
          const time = times.get(label) ?? { ms: 0, count: 0 };
          time.ms += Number(stamps[2 * i + 1] - stamps[2 * i]) / 1e6;
          time.count += 1;
          times.set(label, time);
        });
        for (const buffer of [read, resolved]) buffer.destroy();
        queries.destroy();
      }),
    );
  };
  const dispatch = backend.dispatch.bind(backend);
  backend.dispatch = (...given) => {
    if (2 * labels.length + 2 > QUERIES) resolveQueries();
    internals.endComputePassEncoder();
    internals.ensureCommandEncoderReady();
    internals.computePassEncoder = internals.commandEncoder!.beginComputePass({
      timestampWrites: {
        querySet,
        beginningOfPassWriteIndex: 2 * labels.length,
        endOfPassWriteIndex: 2 * labels.length + 1,
      },
    });
    labels.push(given[0].label);
    dispatch(given[0], given[1], given[2], given[3], given[4], 0);
    if (internals.computePassEncoder !== null) internals.endComputePassEncoder();
  };
  try {
    await work();
    resolveQueries();
    await Promise.all(waiting);
  } finally {
    backend.dispatch = dispatch;
  }
  return times;
}
