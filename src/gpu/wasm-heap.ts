/**
 * Direct access to the memory of tfjs's wasm backend, for operations that read and write tensors in place. tfjs's
 * own kernels copy whole tensors to take a slice, and the overhead of each kernel call exceeds the arithmetic of a
 * small model.
 */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../base/error';
import type { Allocator } from './heap-count';
import { hasKnownTape } from './recorded-tape';

/** Private members of tfjs's backend that this file uses. */
interface WasmBackend {
  makeOutput(shape: readonly number[], dtype: 'float32' | 'int32'): tf.TensorInfo;
  dataIdMap: { get(dataId: object): { memoryOffset: number } };
  incRef(dataId: object): void;
  wasm: HeapModule;
}

interface HeapModule extends Allocator {
  HEAPF32: Float32Array;
  HEAPU8: Uint8Array;
  asm: { memory: WebAssembly.Memory };
  cwrap(name: string, ...types: unknown[]): (...values: unknown[]) => unknown;
}

/**
 * Checks that the backend has the members that this file uses.
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
 * Makes clones share the values of their tensor, as on tfjs's other backends. By default wasm copies them, and the
 * tape clones every tensor that it saves. A tensor that may have clones must therefore not be written.
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

export const heapModule = (): HeapModule => backend().wasm;

export function heapMemory(): WebAssembly.Memory {
  return backend().wasm.asm.memory;
}

/** The whole heap as floats. An allocation may invalidate this view. */
export function heapFloats(): Float32Array {
  return backend().wasm.HEAPF32;
}

/** Address of a tensor, in bytes. */
export function heapAddress({ dataId }: tf.TensorInfo): number {
  return backend().dataIdMap.get(dataId).memoryOffset;
}

/** View of a float32 tensor's values, valid until the next allocation. */
export function heapValues(tensor: tf.TensorInfo): Float32Array {
  const first = heapAddress(tensor) / 4;
  return heapFloats().subarray(first, first + tf.util.sizeFromShape(tensor.shape));
}

/** An uninitialized tensor. Every element must be written. */
export function heapTensor<R extends tf.Rank>(
  shape: tf.ShapeMap[R],
  dtype: 'float32' | 'int32' = 'float32',
): tf.Tensor<R> {
  const info = backend().makeOutput(shape, dtype);
  return tf.engine().makeTensorFromTensorInfo(info) as tf.Tensor<R>;
}

/** Allocates bytes that are never freed. */
export function heapAllocate(bytes: number): number {
  return backend().wasm._malloc(bytes) >>> 0;
}
