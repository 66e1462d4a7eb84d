import type { KernelRunner } from '../wasm-kernels';

/** Work that a dry engine counts. */
export interface Work {
  /** Multiplications and additions. Other operations count in proportion to their time. */
  flops: number;
  /** Number of kernel calls. Each has a fixed overhead. */
  calls: number;
}

/** Counts the kernels of the wasm backend instead of running them. */
export const countingKernels = (work: Work): KernelRunner => ({
  threads: 1,
  fma: false,
  call: () => void (work.calls += 1),
  together: (add) => add(),
  inParts(flops, run) {
    work.flops += flops;
    run(1);
  },
  close: () => undefined,
});
