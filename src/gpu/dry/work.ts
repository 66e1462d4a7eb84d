/**
 * Counters of a dry engine. All kernels are called through one function (wasm-kernels.ts), which checks `countsCall`
 * before it runs one. Little other code depends on whether the engine is dry.
 */

export interface Work {
  /** Multiplications and additions. Other operations count in proportion to their time. */
  flops: number;
  /** Number of kernel calls. Each has a fixed overhead. */
  calls: number;
}

let dry: Work | null = null;

/** Counters of the open dry engine, or null on a real one. */
export const dryWork = (): Work | null => dry;

export function setDryWork(work: Work | null): void {
  dry = work;
}

/** Counts arithmetic on a dry engine. @returns whether one is open */
export function countsFlops(flops: number): boolean {
  if (dry === null) return false;
  dry.flops += flops;
  return true;
}

/** Counts a kernel call on a dry engine. @returns whether to skip the kernel */
export function countsCall(): boolean {
  if (dry === null) return false;
  dry.calls += 1;
  return true;
}
