/** From files to a policy on the device: config, tensors, tokenizer, and an adapter where one is asked for. */
import type { Engine } from '../gpu/engine';
import { checkKeys } from '../base/known-keys';
import { MarbleError } from '../base/error';
import type { AdapterConfig } from './files/adapter-config';
import { openAdapter } from './files/adapter-files';
import type { WeightFormat } from '../ops/lib/weight-load.wgsl';
import { checkpointSupply, buildWeights } from './files/build-weights';
import { openWeights } from './files/weights-reader';
import { parseModelConfig } from './config';
import { attachLora, attachSavedLora, type LoraConfig } from './lora';
import type { Policy } from './policy';
import { openSource, type ModelSource, type OpenOptions } from './source/source';
import { checkTensors } from './files/tensor-table';
import { resolveHead } from './files/tied-head';
import { readTokenizer } from './tokenizer/tokenizer-files';
import { createTransformerPolicy } from './transformer-policy';

export interface LoadOptions {
  /** A fresh adapter on all seven projections; without it or `adapter` every weight is trained, in f32. */
  lora?: LoraConfig;
  /** A saved adapter in PEFT's layout, to go on from. Its own rank and alpha hold, and must be those of `lora` if that is given. */
  adapter?: ModelSource;
  /** How base weights are held. Packed formats need an adapter. Default: bf16 as stored with one, else f32. */
  weights?: WeightFormat;
  /** How the source is opened: a Hub mirror, a cache for the weights. */
  open?: OpenOptions;
}

/** A configuration that says one rank and trains another could not be repeated. */
function checkRank(saved: AdapterConfig, asked: LoraConfig): void {
  if (saved.rank === asked.rank && saved.alpha === asked.alpha) return;
  throw new MarbleError(
    'model/adapter-rank',
    `The adapter has rank ${saved.rank} and alpha ${saved.alpha}; the run asks for rank ${asked.rank} and alpha ${asked.alpha}.`,
    `Set the rank to ${saved.rank} and alpha to ${saved.alpha}, or start from a fresh adapter.`,
  );
}

/** How base weights are held where nothing else is asked for. */
export function weightFormat({ backend }: Pick<Engine, 'backend'>, adapted: boolean): WeightFormat {
  return adapted && backend !== 'cpu' ? 'bf16' : 'f32';
}

/**
 * Checks every file before anything is allocated, then moves the weights to the device tensor by tensor.
 *
 * @throws MarbleError with the codes of the parsers, `model/weights-format` for packed weights without an adapter, and
 *   `model/adapter-rank` where a saved adapter is not of the rank asked for
 */
export async function loadPolicy(
  engine: Engine,
  source: ModelSource,
  options: LoadOptions = {},
): Promise<Policy> {
  checkKeys('loadPolicy', options, { lora: true, adapter: true, weights: true, open: true });
  const training = { rank: true, alpha: true, seed: true, mode: true, adapter: true } as const;
  checkKeys('lora of loadPolicy', options.lora ?? {}, training);
  const adapted = options.lora !== undefined || options.adapter !== undefined;
  const format = options.weights ?? weightFormat(engine, adapted);
  if (format !== 'f32' && !adapted) {
    throw new MarbleError(
      'model/weights-format',
      `Weights in ${format} are frozen, and without an adapter there is nothing to train.`,
      'Load them as f32, or pass `lora`.',
    );
  }
  const files = await openSource(source, options.open);
  const configJson = await files.json('config.json');
  const generation = (await files.has('generation_config.json'))
    ? await files.json('generation_config.json')
    : null;
  const stated = parseModelConfig(configJson, generation);
  const { config, checkpoint } = await resolveHead(stated, await openWeights(files));
  checkTensors(config, checkpoint.tensors);
  const saved = options.adapter
    ? await openAdapter(await openSource(options.adapter, options.open), config)
    : null;
  if (saved && options.lora) checkRank(saved, options.lora);
  const tokenizer = (await files.has('tokenizer.json'))
    ? await readTokenizer(files, config.vocabularySize)
    : null;
  const weights = await buildWeights(config, checkpointSupply(checkpoint, format, !adapted));
  let adapter: AdapterConfig | null = null;
  if (saved) {
    adapter = saved;
    await attachSavedLora(weights, config, saved, saved.read);
  } else if (options.lora) {
    const { rank, alpha } = options.lora;
    adapter = { rank, alpha, useRslora: false, baseModel: 'hub' in source ? source.hub.split(':')[0] : null };
    attachLora(weights, config, options.lora);
  }
  return createTransformerPolicy({
    engine,
    config,
    weights,
    tokenizer,
    adapter,
    adapterIsTrained: saved !== null,
    configJson: { ...(configJson as object), tie_word_embeddings: config.tiedHead },
  });
}
