/**
 * Allocation statistics for the heap of tfjs's wasm module, real (`wasm-heap.ts`) or dry (`dry/heap.ts`): bytes in
 * use, their peak, and an error when the heap is full. tfjs ignores a null pointer and then writes out of bounds.
 */
import { MarbleError } from '../base/error';

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

/** A module that binds its C++ functions by name. */
interface BindingModule extends Allocator {
  cwrap(name: string, ...types: unknown[]): (...values: unknown[]) => unknown;
}

/** XNNPACK packs the columns of a product's second factor in groups of this size. */
const PACKED_COLUMNS = 8;

/** Bytes of a packed factor of [rows, columns], with a bias. */
export const packedBytes = (rows: number, columns: number): number =>
  4 * (rows + 1) * PACKED_COLUMNS * Math.ceil(columns / PACKED_COLUMNS);

/** tfjs passes shapes as bytes. */
export const shapeIn = (bytes: unknown): Int32Array => new Int32Array((bytes as Uint8Array).buffer);

/** If this many bytes cannot be allocated, a C++ fault counts as out of memory. */
const PROBE_BYTES = 16e6;

/**
 * Turns out-of-memory faults of C++ functions bound after this call into a MarbleError. Without it, a product whose
 * factor cannot be packed returns wrong values, and other functions abort or write out of bounds.
 */
export function nameHeapFaults(module: BindingModule): void {
  const bind = module.cwrap.bind(module);
  const requireRoom = (bytes: number): void => module._free(module._malloc(bytes));
  module.cwrap = (name, ...types) => {
    const run = bind(name, ...types);
    return (...values) => {
      if (name === 'BatchMatMul') {
        const [, rows, columns] = shapeIn(values[4]);
        requireRoom(packedBytes(rows, columns));
      }
      try {
        return run(...values);
      } catch (thrown) {
        if (thrown instanceof WebAssembly.RuntimeError) requireRoom(PROBE_BYTES);
        throw thrown;
      }
    };
  };
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

function heapFull(bytes: number): MarbleError {
  return new MarbleError(
    'gpu/out-of-memory',
    `The memory of the CPU backend is full: ${megabytes(bytes)} more found no room. It holds at most ${megabytes(MOST_HEAP_BYTES)}, and less where the system has less.`,
    'Choose a smaller model, fewer samples at once or shorter completions.',
  );
}
