/**
 * SmolLM2-135M-Instruct from the optional `../shared`, in the layout of its folder on the Hub, for tests and
 * benchmarks.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Reduces the model in `folder` to its first layers, for a software adapter, which takes minutes for all of them. */
export function keepLayers(folder: string, layers: number): void {
  const [configFile, weightsFile] = ['config.json', 'model.safetensors'].map((name) => join(folder, name));
  const config = JSON.parse(readFileSync(configFile, 'utf8')) as object;
  writeFileSync(configFile, JSON.stringify({ ...config, num_hidden_layers: layers }));
  const bytes = readFileSync(weightsFile);
  const begin = 8 + Number(bytes.readBigUInt64LE());
  type Header = Record<string, { data_offsets?: [number, number] }>;
  const tensors = Object.entries(JSON.parse(bytes.toString('utf8', 8, begin)) as Header);
  const parts: Buffer[] = [];
  let length = 0;
  const kept = tensors.flatMap(([name, tensor]) => {
    const [, layer = 0] = /\.layers\.(\d+)\./.exec(name) ?? [];
    if (tensor.data_offsets === undefined || Number(layer) >= layers) return [];
    const [from, to] = tensor.data_offsets;
    parts.push(bytes.subarray(begin + from, begin + to));
    return [[name, { ...tensor, data_offsets: [length, (length += to - from)] }] as const];
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(kept)));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(weightsFile, Buffer.concat([size, header, ...parts]));
}
