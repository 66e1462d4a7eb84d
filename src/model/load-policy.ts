/** From files to a policy on the device: config, tensors, tokenizer, and an adapter where one is asked for. */
import type { Engine } from '../gpu/engine';
import { checkKeys } from '../base/known-keys';
import { storedMatrix } from '../ops/linear/wgsl';
import { hasF16, verifyForwardF16, weightsFitF16 } from '../ops/verify/f16';
import { verifySubgroups } from '../ops/verify/subgroups';
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
import { matricesOf, type TransformerWeights } from './weights';

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

/** That products forward can be in f16 on this engine. */
async function requireF16(engine: Engine, format: WeightFormat): Promise<void> {
  if (!hasF16(engine)) {
    throw new MarbleError(
      'gpu/no-f16',
      `The run multiplies in f16, which ${engine.backend === 'webgpu' ? 'this GPU' : engine.backend} does not offer.`,
      IN_F32,
    );
  }
  if (format !== 'bf16') {
    throw new MarbleError(
      'model/weights-format',
      `Products in f16 are of frozen weights in bf16, and these are held in ${format}.`,
      'Load them as bf16, or leave `lora.arithmetic` out.',
    );
  }
  if (await verifyForwardF16(engine)) return;
  throw new MarbleError('gpu/f16-wrong', 'Products in f16 come out wrong on this GPU.', IN_F32);
}

const IN_F32 = 'Set its arithmetic to f32 under Settings, or take another GPU, browser or driver.';

async function multiplyInF16(weights: TransformerWeights): Promise<void> {
  const matrices = matricesOf(weights);
  if (!(await weightsFitF16(matrices.map(storedMatrix)))) {
    throw new MarbleError(
      'model/f16-range',
      'The model has weights of 128 or more, by which sums in f16 may overflow.',
      'Set the arithmetic of the run to f32 under Settings.',
    );
  }
  for (const matrix of matrices) if (matrix.format === 'bf16') matrix.half = true;
}

/** How base weights are held where nothing else is asked for. */
export function weightFormat({ backend }: Pick<Engine, 'backend'>, adapted: boolean): WeightFormat {
  return adapted && backend !== 'cpu' ? 'bf16' : 'f32';
}

/**
 * Checks every file before anything is allocated, then moves the weights to the device tensor by tensor.
 *
 * @throws MarbleError with the codes of the parsers, `model/weights-format` for packed weights without an adapter, and
 *   `model/adapter-rank` where a saved adapter is not of the rank asked for; with arithmetic in f16 `gpu/no-f16`,
 *   `gpu/f16-wrong` and `model/f16-range`
 */
export async function loadPolicy(
  engine: Engine,
  source: ModelSource,
  options: LoadOptions = {},
): Promise<Policy> {
  checkKeys('loadPolicy', options, { lora: true, adapter: true, weights: true, open: true });
  const training = {
    rank: true,
    alpha: true,
    seed: true,
    arithmetic: true,
    mode: true,
    adapter: true,
  } as const;
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
  const half = options.lora?.arithmetic === 'f16';
  if (half) await requireF16(engine, format);
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
  await verifySubgroups(engine, { packed: format === 'bf16', adapter: adapted });
  const weights = await buildWeights(config, checkpointSupply(checkpoint, format, !adapted));
  if (half) await multiplyInF16(weights);
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
