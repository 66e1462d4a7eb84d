/**
 * Direct access to the memory of tfjs's wasm backend, for operations that read and write tensors in place. tfjs's
 * own kernels copy whole tensors to take a slice, and the overhead of each kernel call exceeds the arithmetic of a
 * small model.
 *
 * Allocations of this heap and of a dry one (`dry/heap.ts`) are counted: bytes in use, their peak, and an error when the
 * heap is full. tfjs ignores a null pointer and then writes out of bounds.
 */
import * as tf from '@tensorflow/tfjs-core';
import { lessMemory, MarbleError } from '../base/error';
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

/** The allocator that an Emscripten module exports. */
export interface Allocator {
  _malloc: (bytes: number) => number;
  _free: (address: number) => void;
}

/** Bytes in use, rounded up to dlmalloc's chunks. */
export interface HeapCount {
  used: number;
  /** Largest `used` since the count began or was reset. */
  peak: number;
  /** Largest single allocation. */
  largest: number;
}

/** Maximum size of Emscripten's memory. */
export const MOST_HEAP_BYTES = 4294901760;

/** Size of dlmalloc's chunk for an allocation: a header of 4 bytes, a multiple of 8 bytes, at least 16. */
export const chunkBytes = (bytes: number): number => Math.max(16, 8 * Math.ceil((bytes + 4) / 8));

/**
 * Counts all allocations from JavaScript. Allocations of tfjs's C++ code are not counted.
 *
 * @throws MarbleError `gpu/out-of-memory`, from `_malloc`, instead of returning null
 */
export function countAllocations(module: Allocator): HeapCount {
  module._free(module._malloc(8)); // Emscripten reassigns both properties in their first call
  const { _malloc: malloc, _free: free } = module;
  const count: HeapCount = { used: 0, peak: 0, largest: 0 };
  const sizes = new Map<number, number>();
  module._malloc = (bytes) => {
    const address = malloc(bytes) >>> 0;
    if (address === 0) throw heapFull(bytes);
    const size = chunkBytes(bytes);
    sizes.set(address, size);
    count.used += size;
    count.peak = Math.max(count.peak, count.used);
    count.largest = Math.max(count.largest, bytes);
    return address;
  };
  module._free = (address) => {
    count.used -= sizes.get(address) ?? 0;
    sizes.delete(address);
    free(address);
  };
  return count;
}

/** Enough for the small allocations of C++ functions between two allocations from JavaScript. */
const ROOM_BYTES = 65536;

/**
 * Makes `_malloc` fail before the heap is full to the last byte. tfjs's C++ functions make small allocations, and some
 * leave their output unwritten or abort if one fails. It also fails for sizes that would wrap around in 32 bits.
 */
export function keepRoom(module: Allocator): void {
  module._free(module._malloc(8)); // see `countAllocations`
  const { _malloc: malloc, _free: free } = module;
  module._malloc = (bytes) => {
    if (bytes > MOST_HEAP_BYTES) return 0;
    const address = malloc(bytes);
    const room = malloc(ROOM_BYTES);
    if (room !== 0) free(room);
    else if (address !== 0) free(address);
    return room === 0 ? 0 : address;
  };
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

function heapFull(bytes: number): MarbleError {
  return new MarbleError(
    'gpu/out-of-memory',
    `The memory of the CPU backend is full: ${megabytes(bytes)} more found no room. It holds at most ${megabytes(MOST_HEAP_BYTES)}, and less where the system has less.`,
    lessMemory,
  );
}
