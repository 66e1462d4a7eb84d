/**
 * What a model will cost, told before any of its weights is fetched: the files and their sizes, and the device memory by
 * owner, held against the adapter's limits. Plain arithmetic over config.json and the run's settings:
 *
 *     weights      parameters x 2 bytes (bf16) or 4 (f32); vectors always 4
 *     optimiser    trained values: those of the adapter, all of them flat, and Adam's two moments; trained in full the
 *                  frozen reference as well, and its values flat
 *     sampling     keys and values in f32, of as many rows as are decoded at once, or those of an evaluation, whose prompts
 *                  are not shared; while prompts are read, the widest of what a block gives
 *     training     inputs of blocks, and tapes, that are kept from forward to backward; one block forward and its gradients
 *                  for one device batch, or logits; the gradients of trained values
 *
 * Sampling and training take turns, so the peak is the larger of them with what is always there. It follows what the
 * engine does (`../batch`, `../decoder`, `../transformer-policy`), and is held against recorded runs of every preset
 * (tests/model/device/memory-plan.webgpu.test.ts).
 *
 * What is left out: kernels' uniforms, the browser's own textures, buffers that a driver rounds up or that are kept for
 * reuse, and the frozen copy of a saved adapter, twice A and B. A few percent.
 */
import {
  blockFloats,
  decodedTogether,
  evaluationRows,
  KEPT_BYTES,
  keyValueBytes,
  LOGIT_BYTES,
  promptKeyValueBytes,
  trainedTogether,
} from '../../base/rows-at-once';
import { MarbleError } from '../../base/error';
import { SHARD_INDEX, shardsOf, SINGLE_FILE } from '../files/weights-reader';
import { lengthBucket, planDeviceBatches, prefillTokens, roundUp, tapesKept, tokenBudget } from '../batch';
import { parseModelConfig, type ModelConfig } from '../config';
import type { ModelFiles } from '../source/source';
import {
  elementsOf,
  expectedTensors,
  parameterCount,
  trainedCount,
  type ExpectedTensor,
} from '../files/tensor-table';
import type { StepBatch } from './cost-model';

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
  bytes: number;
  parameters: number;
}

/** How the model is to be trained; numbers of one batch. */
export type MemorySettings = Omit<StepBatch, 'reference'>;

/** Bytes on the device. */
export interface MemoryPlan {
  weights: number;
  optimiser: number;
  /** What is there beside those two while it samples, and while it trains. */
  sampling: number;
  training: number;
  /** At the peak. */
  total: number;
  /** The largest single buffer, and what it holds. */
  largest: { bytes: number; what: string };
  /** The largest that is bound whole; a table of embeddings that is not trained is bound in blocks (`ops/lib/row-blocks`). */
  largestBound: { bytes: number; what: string };
}

/** The adapter's limits that a plan can break, in bytes. */
export interface DeviceLimits {
  maxBufferBytes: number;
  maxBindingBytes: number;
}

const SMALL_FILES = [
  ...['config.json', 'generation_config.json'],
  ...['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'],
];

/**
 * Reads config.json (and the index of shards) and asks for the sizes of the rest.
 *
 * @throws MarbleError those of `parseModelConfig`, `shardsOf` and `ModelFiles`
 */
export async function surveyModel(files: ModelFiles): Promise<ModelSurvey> {
  const config = parseModelConfig(await files.json('config.json'));
  const shards = await shardsOf(files);
  const weights = shards === null ? [SINGLE_FILE] : [...new Set(shards.values())];
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

/** Floats of a row at the widest place of a block that is run without a gradient. */
function forwardFloats({ hiddenSize, heads, kvHeads, headDim, intermediateSize }: ModelConfig): number {
  const attending = 3 * hiddenSize + (3 * heads + 4 * kvHeads) * headDim;
  return Math.max(attending, 4 * hiddenSize + intermediateSize);
}

/** Floats of a row that a block's way back adds to its tape: gradients of all that the tape has but the norms' inputs. */
function gradientFloats({ hiddenSize, heads, kvHeads, headDim, intermediateSize }: ModelConfig): number {
  return 6 * hiddenSize + (3 * heads + 4 * kvHeads) * headDim + 3 * intermediateSize;
}

interface Peak {
  bytes: number;
  /** The largest of its buffers. */
  largest: MemoryPlan['largest'];
}

const larger = (one: MemoryPlan['largest'], other: MemoryPlan['largest']): MemoryPlan['largest'] =>
  other.bytes > one.bytes ? other : one;

/** Keys and values of so many prompts, and of the samples of each. */
function planSampling(
  config: ModelConfig,
  prompts: number,
  rows: number,
  { promptTokens, responseTokens }: MemorySettings,
): Peak {
  const length = roundUp(promptTokens, lengthBucket(config));
  const shared = promptKeyValueBytes(config);
  const position = keyValueBytes(config);
  const read = Math.min(prompts, Math.max(1, Math.floor(prefillTokens(config) / length))) * length;
  const reading = 4 * read * forwardFloats(config);
  return {
    bytes: prompts * length * shared + Math.max(rows * responseTokens * position, reading),
    largest: larger(
      {
        what: 'the keys and values of one layer',
        bytes: Math.max((prompts * length * shared) / 2, rows * responseTokens * position) / config.layers,
      },
      { what: 'what a block makes of prompts', bytes: 4 * read * config.intermediateSize },
    ),
  };
}

/** Tokens of a step that are gone through: the device batches after these are like those before, and no more of them is kept. */
const PLANNED_TOKENS = 2 ** 21;

/** One part of a step's sequences there and back; `backward` of the policy. */
function planTraining(config: ModelConfig, settings: MemorySettings): Peak {
  const { samplesPerPrompt, promptTokens, responseTokens } = settings;
  const asked = trainedTogether(config, promptTokens + responseTokens, settings);
  const count = Math.min(asked, Math.ceil(PLANNED_TOKENS / (promptTokens + responseTokens)));
  const sequences = Array.from({ length: count }, (_, index) =>
    new Array<number>(promptTokens + responseTokens).fill(Math.floor(index / samplesPerPrompt)),
  );
  const batches = planDeviceBatches(
    sequences,
    sequences.map(() => promptTokens),
    { tokenBudget: tokenBudget(config, true), bucket: lengthBucket(config), withoutPadding: false },
  ).map(({ ids, responseTokens }) => ({ rows: ids.length, scored: responseTokens.length }));
  const all = batches.reduce((sum, { rows }) => sum + rows, 0) * (asked / count);
  const tapes = tapesKept(config, all) > 0;
  const inputs = (rows: number): number => 4 * rows * config.hiddenSize * (config.layers + 1);
  const taped = (rows: number): number =>
    4 * rows * (config.hiddenSize + config.layers * blockFloats(config));

  let kept = 0; // by what is kept it is decided, not by what the tapes take
  let held = 0;
  for (const { rows } of batches) {
    if (kept + inputs(rows) > KEPT_BYTES) break;
    kept += tapes ? taped(rows) : inputs(rows);
    held += 1;
  }
  const working = ({ rows, scored }: (typeof batches)[0]): number => {
    const logits = Math.min(LOGIT_BYTES, 4 * scored * config.vocabularySize);
    const block = 4 * rows * (gradientFloats(config) + (tapes ? 0 : blockFloats(config)));
    return Math.max(block, logits + 4 * 3 * scored * config.hiddenSize);
  };
  let bytes = 0;
  batches.forEach((batch, index) => {
    const first = index < held ? kept : inputs(batch.rows);
    bytes = Math.max(bytes, first + working(batch));
    if (index < held) kept -= tapes ? taped(batch.rows) : inputs(batch.rows);
  });
  const longest = Math.max(...batches.map(({ rows }) => rows));
  const scored = Math.max(...batches.map((batch) => batch.scored));
  const logits = Math.min(LOGIT_BYTES, 4 * scored * config.vocabularySize);
  return {
    bytes,
    largest: larger(
      { what: 'what a block makes of sequences', bytes: 8 * longest * config.intermediateSize },
      { what: 'a chunk of logits', bytes: logits },
    ),
  };
}

/** The bytes that a run will hold on the device at its peak. */
export function planMemory(config: ModelConfig, settings: MemorySettings): MemoryPlan {
  const { rank, prompts, samplesPerPrompt, responseTokens } = settings;
  const perElement = rank !== null && settings.weights === 'bf16' ? 2 : 4;
  const bytesOf = (tensor: ExpectedTensor): number =>
    elementsOf(tensor) * (tensor.shape.length > 1 ? perElement : 4);
  const tensors = expectedTensors(config);
  const weights = tensors.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
  const trained = 4 * trainedCount(config, rank);
  const optimiser = trained * (rank === null ? 5 : 4);

  const lengths = { promptTokens: settings.promptTokens, newTokens: responseTokens };
  const together = decodedTogether(config, { prompts, samples: samplesPerPrompt, ...lengths });
  const sampled = planSampling(config, together.prompts, together.prompts * together.samples, settings);
  const evaluated = evaluationRows(config, lengths);
  const asked = planSampling(config, evaluated, evaluated, settings);
  const trainedOn = planTraining(config, settings);
  const sampling = Math.max(sampled.bytes, asked.bytes);
  const training = trained + Math.max(trainedOn.bytes, trained); // an update has the gradients flat as well
  const table = { what: 'the embedding table', bytes: bytesOf(tensors[0]) };
  const bound = [
    { what: 'a moment of the optimiser', bytes: trained },
    asked.largest,
    trainedOn.largest,
  ].reduce(larger, sampled.largest);
  const largest = larger(bound, table);
  return {
    weights,
    optimiser,
    sampling,
    training,
    total: weights + optimiser + Math.max(sampling, training),
    largest,
    largestBound: rank === null ? largest : bound,
  };
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
  const held = [
    [plan.largest, maxBufferBytes] as const,
    [plan.largestBound, Math.min(maxBufferBytes, maxBindingBytes)] as const,
  ];
  for (const [{ bytes, what }, most] of held) {
    if (bytes <= most) continue;
    return new MarbleError(
      'model/adapter-too-small',
      `This graphics adapter takes ${megabytes(most)} at once, and ${what} needs ${megabytes(bytes)}.`,
      'Choose a smaller model, or shorter completions.',
    );
  }
  if (memoryBytes !== null && plan.total > memoryBytes) {
    return new MarbleError(
      'model/memory-too-small',
      `The run needs ${megabytes(plan.total)} of memory and there are ${megabytes(memoryBytes)}.`,
      'Choose a smaller model, or shorter completions.',
    );
  }
  return null;
}
