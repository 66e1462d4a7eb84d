/** Loads a policy from files to the device: config, tensors, tokenizer and an optional adapter. */
import type { Engine } from '../gpu/engine';
import { checkKeys } from '../base/known-keys';
import { MarbleError } from '../base/error';
import { openAdapter, type AdapterConfig } from './files/adapter-files';
import type { WeightFormat } from '../ops/lib/weight-load.wgsl';
import { checkpointSupply, buildWeights } from './files/build-weights';
import { openWeights, resolveHead } from './files/weights-reader';
import { parseModelConfig } from './config';
import { attachLora, newAdapter, type LoraConfig } from './lora';
import type { Policy } from './policy';
import { openSource, type ModelSource, type OpenOptions } from './source/source';
import { checkTensors } from './files/tensor-table';
import { readTokenizer } from './tokenizer/tokenizer';
import { createTransformerPolicy } from './transformer-policy';

export interface LoadOptions {
  /** Trains a new adapter on all seven projections. Without `lora` and `adapter` every weight is trained, in f32. */
  lora?: LoraConfig;
  /** Saved adapter in PEFT's layout to train further, with its rank and alpha. `lora` must have the same rank and alpha. */
  adapter?: ModelSource;
  /** Options for opening the source: a Hub mirror, a cache for the weights. */
  open?: OpenOptions;
}

/** Checks that the saved adapter has the configured rank and alpha. */
function checkRank(saved: AdapterConfig, configured: LoraConfig): void {
  if (saved.rank === configured.rank && saved.alpha === configured.alpha) return;
  throw new MarbleError(
    'model/adapter-rank',
    `The adapter has rank ${saved.rank} and alpha ${saved.alpha}; the run requires rank ${configured.rank} and alpha ${configured.alpha}.`,
    `Set the rank to ${saved.rank} and alpha to ${saved.alpha}, or start from a new adapter.`,
  );
}

/** Format of the base weights on the device: packed under an adapter, since they are not trained. */
export const weightFormat = (adapted: boolean): WeightFormat => (adapted ? 'bf16' : 'f32');

/**
 * Checks all files before the first allocation, then copies the weights to the device tensor by tensor.
 *
 * @throws MarbleError with the codes of the parsers; `model/adapter-rank` if a saved adapter has another rank or alpha than `lora`
 */
export async function loadPolicy(
  engine: Engine,
  source: ModelSource,
  options: LoadOptions = {},
): Promise<Policy> {
  checkKeys('loadPolicy', options, { lora: true, adapter: true, open: true });
  const training = { rank: true, alpha: true, seed: true, mode: true, adapter: true } as const;
  checkKeys('lora of loadPolicy', options.lora ?? {}, training);
  const adapted = options.lora !== undefined || options.adapter !== undefined;
  const files = await openSource(source, options.open);
  const configJson = await files.json('config.json');
  const generation = (await files.has('generation_config.json'))
    ? await files.json('generation_config.json')
    : null;
  const parsed = parseModelConfig(configJson, generation);
  const { config, checkpoint } = await resolveHead(parsed, await openWeights(files));
  checkTensors(config, checkpoint);
  const saved = options.adapter
    ? await openAdapter(await openSource(options.adapter, options.open), config)
    : null;
  if (saved && options.lora) checkRank(saved, options.lora);
  const tokenizer = (await files.has('tokenizer.json'))
    ? await readTokenizer(files, config.vocabularySize)
    : null;
  const weights = await buildWeights(config, checkpointSupply(checkpoint, weightFormat(adapted), !adapted));
  let adapter: AdapterConfig | null = null;
  if (saved) {
    adapter = saved;
    await attachLora(weights, config, saved, saved.read);
  } else if (options.lora) {
    const { rank, alpha } = options.lora;
    adapter = { rank, alpha, useRslora: false, baseModel: 'hub' in source ? source.hub.split(':')[0] : null };
    await attachLora(weights, config, { rank, scale: alpha / rank }, newAdapter(options.lora));
  }
  return createTransformerPolicy({
    engine,
    config,
    weights,
    tokenizer,
    adapter,
    adapterIsTrained: saved !== null,
    configJson,
  });
}
