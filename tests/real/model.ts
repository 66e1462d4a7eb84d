/** SmolLM2-135M-Instruct of the optional `../shared` as the folder that the Hub would give, for tests and benches. */
import { spawnSync } from 'node:child_process';
import { hasShared, sharedPath } from '../fixtures/shared';

/** Its file below `../shared`. */
export const realModelFile = 'models/smollm2-135m-instruct.q4_1.gguf';

/** Whether it is there; says so on the console when it is not. */
export const hasRealModel = (): boolean => hasShared(realModelFile);

/** Writes 269 MB of bf16 weights into `folder`, with the configuration and the tokenizer. */
export function writeRealModel(folder: string): void {
  const converter = sharedPath('tools/gguf-to-folder.mjs');
  const { status, stderr } = spawnSync(process.execPath, [converter, sharedPath(realModelFile), folder]);
  if (status !== 0) throw new Error(`The model was not converted: ${stderr.toString()}`);
}
