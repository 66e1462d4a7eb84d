/**
 * The work that a dry engine counts instead of doing it. Kernels ask `countsOnly` before they run; nothing else of the
 * engine knows whether it is dry.
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

/** Counts a kernel on a dry engine. @returns whether it must not run */
export function countsOnly(flops: number): boolean {
  if (dry === null) return false;
  dry.flops += flops;
  dry.calls += 1;
  return true;
}
