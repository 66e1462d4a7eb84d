/**
 * What a model will cost, told before any of its weights is fetched: the files and their sizes, and the device memory by
 * owner, held against the adapter's limits. Plain arithmetic over config.json and the run's settings:
 *
 *     weights      parameters x 2 bytes (bf16) or 4 (f32); vectors always 4
 *     adapter      A and B of the seven projections and their gradients; trained in full: gradients of all weights
 *     optimiser    Adam's two moments, and the frozen reference where a model is trained in full
 *     cache        keys and values of every position of the batch, in f32
 *     activations  the input of every block for the batch, one block recomputed for one sequence (of a small model all
 *                  blocks for the batch), and logits of 128 rows
 *
 * What is left out: kernels' uniforms, the browser's own textures, buffers that a driver rounds up, and the frozen copy of
 * a saved adapter, twice A and B. A few percent.
 */
import { MarbleError } from '../../base/error';
import { SINGLE_FILE } from '../files/weights-reader';
import { blockFloats, tapesKept } from '../batch';
import { parseModelConfig, type ModelConfig } from '../config';
import { parseShardIndex, SHARD_INDEX } from '../files/shard-index';
import type { ModelFiles } from '../source/source';
import { expectedTensors } from '../files/tensor-table';

interface SurveyedFile {
  name: string;
  size: number;
  sha256: string | null;
  /** Whether it is weights, which are kept in parts; the rest is a few megabytes at most. */
  weights: boolean;
}

export interface ModelSurvey {
  config: ModelConfig;
  /** Everything that loading will fetch. */
  files: SurveyedFile[];
  /** Bytes of all files. */
  bytes: number;
  parameters: number;
}

/** How the model is to be trained; numbers of one batch. */
export interface MemorySettings {
  /** Rank of the adapter; null trains every weight, in f32. */
  rank: number | null;
  weights: 'bf16' | 'f32';
  /** Prompts x samples that are decoded at once. */
  rows: number;
  /** Tokens of a prompt with its completion. */
  tokens: number;
}

/** Bytes on the device by owner, in the names of the engine's own report. */
export interface MemoryPlan {
  weights: number;
  adapter: number;
  optimiser: number;
  cache: number;
  activations: number;
  total: number;
  /** The largest single buffer, and what it holds. */
  largest: { bytes: number; what: string };
}

/** The adapter's limits that a plan can break, in bytes. */
export interface DeviceLimits {
  maxBufferBytes: number;
  maxBindingBytes: number;
}

const SMALL_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];
/** Rows of logits that the head computes at once. */
const HEAD_ROWS = 128;

function product(shape: readonly number[]): number {
  return shape.reduce((size, dimension) => size * dimension, 1);
}

export function parameterCount(config: ModelConfig): number {
  return expectedTensors(config).reduce((sum, { shape }) => sum + product(shape), 0);
}

async function weightFiles(files: ModelFiles): Promise<string[]> {
  if (await files.has(SINGLE_FILE)) return [SINGLE_FILE];
  if (await files.has(SHARD_INDEX))
    return [...new Set(parseShardIndex(await files.json(SHARD_INDEX)).values())];
  throw new MarbleError(
    'model/no-weights',
    `There is neither ${SINGLE_FILE} nor ${SHARD_INDEX} in ${files.label}.`,
    'Choose a model whose weights are safetensors files; pickled .bin files are not opened.',
  );
}

/**
 * Reads config.json (and the index of shards) and asks for the sizes of the rest.
 *
 * @throws MarbleError `model/no-weights`, those of `parseModelConfig`, `parseShardIndex` and `ModelFiles`
 */
export async function surveyModel(files: ModelFiles): Promise<ModelSurvey> {
  const config = parseModelConfig(await files.json('config.json'));
  const weights = await weightFiles(files);
  const surveyed: SurveyedFile[] = [];
  for (const name of [...SMALL_FILES, SHARD_INDEX, ...weights]) {
    if (name === SHARD_INDEX && weights.includes(SINGLE_FILE)) continue;
    if (!weights.includes(name) && !(await files.has(name))) continue;
    const listed = files.listing?.get(name) ?? { size: (await files.bytes(name)).size, sha256: null };
    surveyed.push({ name, ...listed, weights: weights.includes(name) });
  }
  return {
    config,
    files: surveyed,
    bytes: surveyed.reduce((sum, { size }) => sum + size, 0),
    parameters: parameterCount(config),
  };
}

/** The bytes that a run will hold on the device at its peak. */
export function planMemory(config: ModelConfig, settings: MemorySettings): MemoryPlan {
  const { rank, rows, tokens } = settings;
  const format = rank === null ? 'f32' : settings.weights;
  const perElement = { f32: 4, bf16: 2 }[format];
  const tensors = expectedTensors(config);
  const bytesOf = (shape: readonly number[]): number => product(shape) * (shape.length > 1 ? perElement : 4);
  const weights = tensors.reduce((sum, { shape }) => sum + bytesOf(shape), 0);
  const projections = tensors.filter(({ name }) => name.endsWith('_proj.weight'));
  const trained =
    rank === null
      ? parameterCount(config)
      : projections.reduce((sum, { shape: [outputs, inputs] }) => sum + rank * (outputs + inputs), 0);

  const cache = rows * tokens * config.layers * 2 * config.kvHeads * config.headDim * 4;
  const checkpoints = rows * tokens * config.hiddenSize * (config.layers + 1) * 4;
  const block = tapesKept(config, rows * tokens) || tokens * blockFloats(config) * 4;
  const logits = HEAD_ROWS * config.vocabularySize * 4;
  const plan = {
    weights,
    // With LoRA the parameters themselves are trained values beside the base weights.
    adapter: trained * 4 * (rank === null ? 1 : 2),
    optimiser: trained * 4 * (rank === null ? 3 : 2),
    cache,
    activations: checkpoints + block + logits,
  };
  const buffers = [
    { what: 'the embedding table', bytes: bytesOf([config.vocabularySize, config.hiddenSize]) },
    { what: 'the keys or values of one layer', bytes: cache / config.layers / 2 },
    { what: 'the input of one block for the whole batch', bytes: rows * tokens * config.hiddenSize * 4 },
    { what: 'a chunk of logits', bytes: logits },
    { what: 'a moment of the optimiser', bytes: trained * 4 },
  ];
  const largest = buffers.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const total = plan.weights + plan.adapter + plan.optimiser + plan.cache + plan.activations;
  return { ...plan, total, largest };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/**
 * Holds a plan against the adapter. A WebGPU adapter does not tell how much memory it has, so only what it refuses
 * outright can be known; `memoryBytes` is for machines whose memory is known otherwise.
 *
 * @returns the error that starting would end in, or null
 */
export function refusePlan(
  plan: MemoryPlan,
  { maxBufferBytes, maxBindingBytes }: DeviceLimits,
  memoryBytes: number | null = null,
): MarbleError | null {
  const buffer = Math.min(maxBufferBytes, maxBindingBytes);
  if (plan.largest.bytes > buffer) {
    return new MarbleError(
      'model/adapter-too-small',
      `This graphics adapter takes ${megabytes(buffer)} at once, and ${plan.largest.what} needs ${megabytes(plan.largest.bytes)}.`,
      'Choose a smaller model, fewer rows or shorter completions, or weights in bf16.',
    );
  }
  if (memoryBytes !== null && plan.total > memoryBytes) {
    return new MarbleError(
      'model/memory-too-small',
      `The run needs ${megabytes(plan.total)} of graphics memory and there are ${megabytes(memoryBytes)}.`,
      'Choose a smaller model, fewer rows or shorter completions, or weights in bf16.',
    );
  }
  return null;
}
