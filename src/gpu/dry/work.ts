/**
 * The work that a dry engine counts instead of doing it. The one call of all kernels (wasm-kernels.ts) asks
 * `countsCall` before it runs one; hardly anything else knows whether the engine is dry.
 */

export interface Work {
  /** Multiplications and additions; other operations in proportion to their time. */
  flops: number;
  /** Kernels run: each has a fixed cost beside its arithmetic. */
  calls: number;
}

let dry: Work | null = null;

/** The count of the dry engine that is open; null on a real one. */
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

/** Counts a kernel on a dry engine. @returns whether it must not run */
export function countsCall(): boolean {
  if (dry === null) return false;
  dry.calls += 1;
  return true;
}
