/**
 * tfjs's wasm module without memory and C++ code: tensors have a size but no values, and functions count their work.
 * tfjs's own backend runs on it, so tensors are created and disposed of as in a real run.
 *
 * The allocator imitates dlmalloc for large allocations: best fit, adjacent free blocks are merged, and memory is
 * never returned to the system. The end of the address space therefore includes fragmentation. Allocations of C++
 * code are not modelled.
 */
import { chunkBytes, type Allocator } from '../wasm-heap';
import type { Work } from '../wasm-kernels';

/** Static data and stack of tfjs's module. */
const FIRST_ADDRESS = 4e6;

interface Block {
  start: number;
  size: number;
}

/** Returns handles instead of addresses, so the total may exceed a 32-bit address space. */
function createAddressSpace(): Allocator & { end: () => number } {
  let end = FIRST_ADDRESS;
  let handed = 0;
  const used = new Map<number, Block>();
  /** Sorted by start. */
  const free: Block[] = [];

  const startOf = (size: number): number => {
    let best: Block | null = null;
    for (const block of free) if (block.size >= size && (!best || block.size < best.size)) best = block;
    if (best) {
      const { start } = best;
      best.start += size;
      best.size -= size;
      if (best.size === 0) free.splice(free.indexOf(best), 1);
      return start;
    }
    const last = free.at(-1);
    const start = last && last.start + last.size === end ? free.pop()!.start : end;
    end = start + size;
    return start;
  };

  return {
    end: () => end,
    _malloc(bytes) {
      const size = chunkBytes(bytes);
      used.set(++handed, { start: startOf(size), size });
      return handed;
    },
    _free(handle) {
      const block = used.get(handle);
      if (block === undefined) return;
      used.delete(handle);
      const before = free.findLastIndex(({ start }) => start < block.start);
      free.splice(before + 1, 0, block);
      for (const at of [before + 1, before]) {
        const [joined, next] = [free.at(at), free.at(at + 1)];
        if (at < 0 || !joined || !next || joined.start + joined.size !== next.start) continue;
        joined.size += next.size;
        free.splice(at + 1, 1);
      }
    },
  };
}

/** A heap that ignores writes. Reads return zeros, cached by size. */
class NoBytes extends Uint8Array {
  private readonly zeros = new Map<number, Uint8Array<ArrayBuffer>>();
  override set(): void {
    return;
  }
  override slice(begin = 0, end = begin): Uint8Array<ArrayBuffer> {
    let read = this.zeros.get(end - begin);
    if (!read) this.zeros.set(end - begin, (read = new Uint8Array(end - begin)));
    return read;
  }
}

/** An empty float array that ignores writes of tfjs's JavaScript. Writes beyond its end have no effect. */
class NoFloats extends Float32Array {
  override set(): void {
    return;
  }
}

/** The view of every tensor, for all types. */
export const noValues = new NoFloats(0);

/** Approximate FLOPs per element of an operation of tfjs: read, write and one exponential. */
const FLOPS_PER_ELEMENT = 8;

/** The module for `new BackendWasm(...)`. @param work counters of its functions */
export function createDryModule(work: Work) {
  const space = createAddressSpace();
  const elements = new Map<number, number>();

  /** A function of the module. Its last argument is its output or a number. */
  const run = (...values: unknown[]): void => {
    work.flops += FLOPS_PER_ELEMENT * (elements.get(values.at(-1) as number) ?? 0);
    work.calls += 1;
  };

  return {
    _malloc: space._malloc,
    _free: space._free,
    /** End of the allocated address space. */
    heapEnd: space.end,
    HEAPU8: new NoBytes(0),
    HEAPF32: noValues,
    cwrap: () => run,
    tfjs: {
      initWithThreadsCount: () => undefined,
      getThreadsCount: () => 1,
      registerTensor: (id: number, size: number) => void elements.set(id, size),
      disposeData: (id: number) => void elements.delete(id),
      dispose: () => undefined,
    },
  };
}
