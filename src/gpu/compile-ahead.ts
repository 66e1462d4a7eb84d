/**
 * Kernels compiled before they are needed. WebGPU compiles a pipeline when it is first used, and whoever asks for it one by
 * one waits for each in turn: minutes with some drivers. Here work is gone through once without running it, every
 * pipeline that it asks for is begun at once, and the browser compiles as many side by side as it can.
 */
import { webgpuBackend } from './kernel';

/** Is told how many of `total` kernels are compiled. */
export type CompileProgress = (compiled: number, total: number) => Promise<void>;

/**
 * Compiles all that `work` would run on the open WebGPU backend. Nothing is run: tensors that it makes hold whatever their
 * memory held, and values that it reads are zeros, so `work` must keep nothing of either.
 *
 * @returns how many kernels were compiled
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
