/**
 * Compiles kernels before they are needed.
 *
 * WebGPU compiles a pipeline at its first use. Compiling one after another takes minutes with some drivers.
 * `compileAhead` traces the work without running it and starts compiling every pipeline at once, so the browser can
 * compile them in parallel.
 */
import { webgpuBackend } from './kernel';

/** Reports that `compiled` of `total` kernels are ready. */
export type CompileProgress = (compiled: number, total: number) => Promise<void>;

/**
 * Compiles every kernel that `work` uses on the open WebGPU backend. Nothing runs: new tensors are uninitialized and
 * readbacks return zeros, so `work` must discard its results.
 *
 * @returns number of compiled kernels
 */
export async function compileAhead(
  work: () => Promise<unknown>,
  onProgress: CompileProgress,
): Promise<number> {
  const backend = webgpuBackend();
  let pipelines: Promise<void>[] = [];
  backend.beginCompiling();
  try {
    await work();
  } finally {
    pipelines = backend.endCompiling();
  }
  const total = pipelines.length;
  let compiled = 0;
  for (const pipeline of pipelines) void pipeline.then(() => compiled++);
  let told = 0;
  if (total > 0) await onProgress(0, total);
  for (const pipeline of pipelines) {
    await pipeline;
    if (compiled === told) continue;
    told = compiled;
    await onProgress(told, total);
  }
  return total;
}
