/**
 * SmolLM2-135M-Instruct from the optional `../shared`, in the layout of its folder on the Hub, for tests and
 * benchmarks.
 */
import { spawnSync } from 'node:child_process';
import { hasShared, sharedPath } from '../fixtures/shared';

/** Path of the model file in `../shared`. */
export const realModelFile = 'models/smollm2-135m-instruct.q4_1.gguf';

/** True if the model exists; otherwise prints that the test is skipped. */
export const hasRealModel = (): boolean => hasShared(realModelFile);

/** Writes 269 MB of bf16 weights into `folder`, with the configuration and the tokenizer. */
export function writeRealModel(folder: string): void {
  const converter = sharedPath('tools/gguf-to-folder.mjs');
  const { status, stderr } = spawnSync(process.execPath, [converter, sharedPath(realModelFile), folder]);
  if (status !== 0) throw new Error(`The model was not converted: ${stderr.toString()}`);
}
