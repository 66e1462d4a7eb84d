/**
 * Memory of tfjs's buffer pool, which by itself never frees a buffer. Buffers of sizes that are no longer requested are
 * destroyed. If the device would hold much more than the peak in use, the least recently used sizes are destroyed first.
 *
 * Of the free buffers of a size the pool gives the oldest. A pass that requests and releases the same sizes as the pass
 * before therefore gets the same buffers, and finds its bind groups in their cache (backend.ts).
 */
import type { PoolInternals } from './known-internals';

/** Free buffers of sizes not requested for this many submits are destroyed. */
const SUBMITS_BEFORE_RELEASE = 512;

/** Maximum bytes that the device holds beyond the peak in use. */
const FREE_BYTES = 128e6;

export class BufferPool {
  peakBytes = 0;
  /** All-time peak, never reset. */
  private mostBytes = 0;
  /** Bytes of the largest buffer made since the last wait for the device, which sets it to 0. */
  largestMade = 0;
  /** Number of submits at the last request of each size. */
  private readonly lastAsked = new Map<string, number>();
  private submits = 0;
  /** Order in which the buffers were made. */
  private readonly numbers = new WeakMap<GPUBuffer, number>();
  private made = 0;

  /**
   * @param ownBytes bytes of buffers outside the pool
   * @param flush submits all recorded commands, which may still use a free buffer
   */
  constructor(
    private readonly pool: PoolInternals,
    private readonly ownBytes: number,
    private readonly flush: () => void,
  ) {
    const acquire = pool.acquireBuffer.bind(pool);
    const release = pool.releaseBuffer.bind(pool);
    pool.releaseBuffer = (buffer, reuse = true) => {
      release(buffer, reuse);
      if (reuse) this.sortLast(pool.freeBuffers.get(`${buffer.size}_${buffer.usage}`) ?? []);
    };
    pool.acquireBuffer = (size, usage, mappedAtCreation, reuse) => {
      if ((pool.freeBuffers.get(`${size}_${usage}`)?.length ?? 0) === 0) {
        this.makeRoom(size);
        this.largestMade = Math.max(this.largestMade, size);
      }
      const buffer = acquire(size, usage, mappedAtCreation, reuse);
      if (!this.numbers.has(buffer)) this.numbers.set(buffer, ++this.made);
      this.lastAsked.set(`${size}_${usage}`, this.submits);
      this.peakBytes = Math.max(this.peakBytes, this.usedBytes());
      this.mostBytes = Math.max(this.mostBytes, this.usedBytes());
      return buffer;
    };
  }

  /** Moves the last buffer to its place in a list that is sorted from the newest to the oldest. */
  private sortLast(free: GPUBuffer[]): void {
    const buffer = free.pop();
    if (buffer === undefined) return;
    const numberOf = (other: GPUBuffer): number => this.numbers.get(other) ?? 0;
    const number = numberOf(buffer);
    let [low, high] = [0, free.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numberOf(free[middle]) > number) low = middle + 1;
      else high = middle;
    }
    free.splice(low, 0, buffer);
  }

  usedBytes(): number {
    return this.pool.numBytesUsed + this.ownBytes;
  }

  allocatedBytes(): number {
    return this.pool.numBytesAllocated + this.ownBytes;
  }

  /** Limits the device's memory to near the peak in use, before a buffer of `size` is made. */
  private makeRoom(size: number): void {
    const most = Math.max(this.mostBytes, this.usedBytes() + size) + FREE_BYTES;
    if (this.allocatedBytes() + size <= most) return;
    this.flush();
    const oldestFirst = [...this.pool.freeBuffers].sort(
      ([a], [b]) => (this.lastAsked.get(a) ?? 0) - (this.lastAsked.get(b) ?? 0),
    );
    // free half of the allowance at once, so the next sizes fit without another submit
    for (const [, buffers] of oldestFirst) {
      while (buffers.length > 0 && this.allocatedBytes() + size > most - FREE_BYTES / 2) {
        this.destroyFree(buffers.pop()!);
      }
    }
  }

  /** Follows every submit. */
  submitted(): void {
    this.submits++;
    if (this.submits % SUBMITS_BEFORE_RELEASE === 0) this.releaseFree(this.submits - SUBMITS_BEFORE_RELEASE);
  }

  /** Destroys free buffers of sizes not requested since the given submit. No recorded command may be pending. */
  private releaseFree(sinceSubmit: number): void {
    for (const [key, buffers] of this.pool.freeBuffers) {
      if ((this.lastAsked.get(key) ?? 0) > sinceSubmit) continue;
      for (const buffer of buffers) this.destroyFree(buffer);
      buffers.length = 0;
    }
  }

  private destroyFree(buffer: GPUBuffer): void {
    this.pool.numBytesAllocated -= buffer.size;
    this.pool.numFreeBuffers--;
    buffer.destroy();
  }
}
