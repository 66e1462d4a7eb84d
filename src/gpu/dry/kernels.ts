import type { KernelRunner } from '../wasm-kernels';
import type { Work } from './work';

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
