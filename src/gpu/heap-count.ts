/**
 * Allocation statistics for the heap of tfjs's wasm module, real (`wasm-heap.ts`) or dry (`dry/heap.ts`): bytes in
 * use, their peak, and an error when the heap is full. tfjs ignores a null pointer and then writes out of bounds.
 */
import { lessMemory, MarbleError } from '../base/error';

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
