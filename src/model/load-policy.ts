/** From files to a policy on the device: config, tensors, tokenizer, and an adapter where one is asked for. */
import type { Engine } from '../gpu/engine';
import { MarbleError } from '../error';
import { checkpointSupply, buildWeights, type WeightFormat } from './build-weights';
import { openCheckpoint } from './checkpoint-file';
import { parseModelConfig } from './config';
import { attachLora, type LoraConfig } from './lora';
import type { Policy } from './policy';
import { openSource, type ModelSource } from './source';
import { checkTensors } from './tensor-table';
import { readTokenizer } from './tokenizer-files';
import { createTransformerPolicy } from './transformer-policy';

export interface LoadOptions {
  /** A fresh adapter on all seven projections; without it every weight is trained, in f32. */
  lora?: LoraConfig;
  /** How base weights are held. Packed formats need LoRA. Default: bf16 as stored with LoRA on WebGPU, else f32. */
  weights?: WeightFormat;
}

/**
 * Checks every file before anything is allocated, then moves the weights to the device tensor by tensor.
 *
 * @throws MarbleError with the codes of the parsers, and `model/weights-format` for packed weights without LoRA
 */
export async function loadPolicy(
  engine: Engine,
  source: ModelSource,
  options: LoadOptions = {},
): Promise<Policy> {
  const format = options.weights ?? (options.lora && engine.backend === 'webgpu' ? 'bf16' : 'f32');
  if (format !== 'f32' && !options.lora) {
    throw new MarbleError(
      'model/weights-format',
      `Weights in ${format} are frozen, and without an adapter there is nothing to train.`,
      'Load them as f32, or pass `lora`.',
    );
  }
  const files = await openSource(source);
  const configJson = await files.json('config.json');
  const config = parseModelConfig(configJson);
  const checkpoint = await openCheckpoint(files);
  checkTensors(config, checkpoint.tensors);
  const tokenizer = (await files.has('tokenizer.json')) ? await readTokenizer(files) : null;
  const weights = await buildWeights(config, checkpointSupply(checkpoint, format, !options.lora));
  if (options.lora) attachLora(weights, config, options.lora);
  const lora = options.lora ? { rank: options.lora.rank, alpha: options.lora.alpha } : null;
  return createTransformerPolicy({ engine, config, weights, tokenizer, lora, configJson });
}
