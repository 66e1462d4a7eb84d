/**
 * The memory in which tfjs's wasm backend keeps its tensors, for operations that read and write there themselves: tfjs's own
 * kernels copy whole tensors out of it to take a slice, and the engine's way around each of them costs more than the
 * arithmetic of a small model.
 */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../base/error';
import type { Allocator } from './heap-count';
import { hasKnownTape } from './recorded-tape';

/** What is taken from tfjs's backend beside its public methods. */
interface WasmBackend {
  makeOutput(shape: readonly number[], dtype: 'float32' | 'int32'): tf.TensorInfo;
  dataIdMap: { get(dataId: object): { memoryOffset: number } };
  incRef(dataId: object): void;
  wasm: HeapModule;
}

interface HeapModule extends Allocator {
  HEAPF32: Float32Array;
  asm: { memory: WebAssembly.Memory };
  cwrap(name: string, ...types: unknown[]): (...values: unknown[]) => unknown;
}

/**
 * That the backend has what is relied on here.
 *
 * @throws MarbleError `gpu/unknown-tfjs`
 */
export function requireKnownHeap(backend: object): void {
  const { wasm, makeOutput, dataIdMap, incRef } = backend as Partial<WasmBackend>;
  const isKnown =
    wasm?.asm.memory instanceof WebAssembly.Memory && '_malloc' in wasm && makeOutput && dataIdMap && incRef;
  if (isKnown && hasKnownTape()) return;
  throw new MarbleError(
    'gpu/unknown-tfjs',
    'tfjs does not show its memory or its tape: it is not the release that Marble was built for.',
    'Install @tensorflow/tfjs-backend-wasm 4.22.0.',
  );
}

/**
 * Lets a clone have the values of its tensor in common with it, as on tfjs's other backends, where wasm copies them:
 * its tape clones all that it saves. So nothing is written to a tensor that others may hold.
 */
export function shareClones(): void {
  tf.unregisterKernel(tf.Identity, 'wasm');
  tf.registerKernel({
    kernelName: tf.Identity,
    backendName: 'wasm',
    kernelFunc: ({ inputs }) => {
      const { dataId, shape, dtype } = inputs.x as tf.TensorInfo;
      backend().incRef(dataId);
      return { dataId, shape, dtype };
    },
  });
}

const backend = (): WasmBackend => tf.backend() as unknown as WasmBackend;

/** Whether tensors lie in it. */
export function onHeap(): boolean {
  return tf.getBackend() === 'wasm';
}

export const heapModule = (): HeapModule => backend().wasm;

export function heapMemory(): WebAssembly.Memory {
  return backend().wasm.asm.memory;
}

/** All of it as it is now: an allocation may replace it. */
export function heapFloats(): Float32Array {
  return backend().wasm.HEAPF32;
}

/** Where a tensor begins, in bytes. */
export function heapAddress({ dataId }: tf.TensorInfo): number {
  return backend().dataIdMap.get(dataId).memoryOffset;
}

/** The values of a float32 tensor where they lie, up to the next allocation. */
export function heapValues(tensor: tf.TensorInfo): Float32Array {
  const first = heapAddress(tensor) / 4;
  return heapFloats().subarray(first, first + tf.util.sizeFromShape(tensor.shape));
}

/** A tensor whose values are whatever lay there: every one must be written. */
export function heapTensor<R extends tf.Rank>(
  shape: tf.ShapeMap[R],
  dtype: 'float32' | 'int32' = 'float32',
): tf.Tensor<R> {
  const info = backend().makeOutput(shape, dtype);
  return tf.engine().makeTensorFromTensorInfo(info) as tf.Tensor<R>;
}

/** Bytes that are never given back. */
export function heapAllocate(bytes: number): number {
  return backend().wasm._malloc(bytes) >>> 0;
}
