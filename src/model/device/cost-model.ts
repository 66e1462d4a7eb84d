/**
 * What one training step costs a GPU, counted and not measured: the arithmetic, the bytes read and written, and the
 * dispatches of each phase, by the shapes that the engine runs. With a card's bandwidth, its rate of multiplication and
 * what a dispatch costs it, that predicts the time of a step (the roofline model, Williams et al. 2009):
 *
 *     seconds = max(bytes / bandwidth, FLOP / rate) + dispatches * cost of one
 *
 *     prefill     every prompt once, forward, and the first token drawn
 *     decode      the others, one of every sample at a time: all weights, and all keys and values so far, are read each time
 *     reference   every sequence forward; prompts that samples share once
 *     training    forward, and once more where the inputs of all blocks are more than is kept; then block by block the
 *                 recompute (unless what it gives is kept) and the gradients
 *     update      AdamW over the trained values
 *
 * Lengths are padded as the engine pads them, which for short answers of a large model is most of the work.
 *
 * What is left out: sampling that ends early (every answer is taken to be as long as said), what tiles read twice, caches
 * that spare a read, all that runs on the CPU, and what a graphics card does beside the rest: norms, waits of workgroups.
 */
import { lengthBucket, prefillTokens, roundUp, tapesKept, tokenBudget } from '../batch';
import {
  decodedTogether,
  KEPT_BYTES,
  keyValueBytes,
  LOGIT_BYTES,
  promptKeyValueBytes,
  trainedTogether,
} from '../../base/rows-at-once';
import type { ModelConfig } from '../config';
import { expectedTensors, isProjection, trainedCount } from '../files/tensor-table';

/** A step's batch. */
export interface StepBatch {
  /** Rank of the adapter; null trains every weight, in f32. */
  rank: number | null;
  weights: 'bf16' | 'f32';
  prompts: number;
  samplesPerPrompt: number;
  /** Typical lengths in tokens; for a plan of memory those of the longest. */
  promptTokens: number;
  responseTokens: number;
  /** Whether the reference's log-probabilities are taken. */
  reference: boolean;
  /** Sequences that go forward and back together; 0, or left out, takes all. */
  microBatch?: number;
  /** Whether the advantages are known before, so that of these no more go at once than are kept. */
  advantagesFirst?: boolean;
}

export interface Work {
  flops: number;
  bytes: number;
  dispatches: number;
}

export const phases = ['prefill', 'decode', 'reference', 'training', 'update'] as const;
export type StepWork = Record<(typeof phases)[number], Work>;

/** What a card does in a second. */
export interface Card {
  bytesPerSecond: number;
  flopsPerSecond: number;
  secondsPerDispatch: number;
}

/** What graphics of a laptop's processor (Iris Xe), and a laptop's own card (RTX 4060), are taken to reach in a browser, in f32. */
export const INTEGRATED: Card = { bytesPerSecond: 60e9, flopsPerSecond: 0.45e12, secondsPerDispatch: 20e-6 };
export const OWN_CARD: Card = { bytesPerSecond: 256e9, flopsPerSecond: 3.5e12, secondsPerDispatch: 10e-6 };

/**
 * Dispatches of a layer: of one decoding step, of a pass forward, and of the way back with what runs again for it; with an
 * adapter the second. While few rows are decoded an adapter's product comes out of the norm's kernel.
 */
const PER_LAYER = { decodeFew: [7, 9], decode: [7, 11], forward: [8, 12], back: [35, 48] } as const;
/** Of the rest of the model: embedding, last norm, head; there and back also its gradients. */
const AROUND = { drawing: 3, forward: 7, training: 12 };
/** Most rows that are decoded so (ops/norm-for). */
const NORMED_ROWS = 64;

const BYTES_PER_ELEMENT = { f32: 4, bf16: 2 };

/** What is left out of a part is nothing. */
function add(...parts: Partial<Work>[]): Work {
  const sum = (kind: keyof Work): number => parts.reduce((total, part) => total + (part[kind] ?? 0), 0);
  return { flops: sum('flops'), bytes: sum('bytes'), dispatches: sum('dispatches') };
}

const times = (count: number, { flops, bytes, dispatches }: Work): Work => ({
  flops: count * flops,
  bytes: count * bytes,
  dispatches: count * dispatches,
});

/** What the phases are put together from. */
type Parts = ReturnType<typeof partsOf>;

/** Of one model and batch: sizes, and the work of what several phases do. */
function partsOf(config: ModelConfig, batch: StepBatch) {
  const { prompts, promptTokens, rank } = batch;
  const { layers, hiddenSize, heads, kvHeads, headDim, intermediateSize, vocabularySize } = config;
  const element = BYTES_PER_ELEMENT[rank === null ? 'f32' : batch.weights];
  const frozen = expectedTensors(config)
    .filter(isProjection)
    .reduce((sum, { shape: [outputs, inputs] }) => sum + outputs * inputs, 0);
  const adapter = rank === null ? 0 : trainedCount(config, rank);
  const head = vocabularySize * hiddenSize;
  const of = ([plain, adapted]: readonly [number, number]): number => (rank === null ? plain : adapted);

  /**
   * Products of so many rows with the blocks' weights, which are read once; what they write is read by the next op. Gate
   * and up are written for a gradient alone.
   */
  const blocks = (rows: number, forGradient = false): Work => {
    const gates = (forGradient ? 3 : 1) * intermediateSize;
    const written = rows * layers * (5 * hiddenSize + 2 * (heads + kvHeads) * headDim + gates);
    const flops = 2 * rows * (frozen + adapter);
    return { flops, bytes: frozen * element + adapter * 4 + 2 * 4 * written, dispatches: 0 };
  };
  /** The head over so many rows, in chunks. */
  const headOver = (rows: number): Work => {
    const chunks = Math.max(1, Math.ceil((rows * 4 * vocabularySize) / LOGIT_BYTES));
    const bytes = chunks * head * element + 2 * 4 * rows * vocabularySize;
    return { flops: 2 * rows * head, bytes, dispatches: 2 * chunks };
  };
  /** FLOP of scores and mixes of so many queries, each over `keys` keys. */
  const mixing = (queries: number, keys: number): number => 4 * queries * keys * heads * headDim * layers;
  const padded = (tokens: number): number => roundUp(tokens, lengthBucket(config));
  const promptLength = padded(promptTokens);
  const promptRows = prompts * promptLength;
  /** The last norm and the head of every sample's newest token, and the draw of the next. */
  const drawing = (drawn: number): Work => ({
    flops: 2 * drawn * head,
    bytes: head * element,
    dispatches: AROUND.drawing,
  });
  const samples = prompts * batch.samplesPerPrompt;
  const sizes = { ...batch, ...config, samples, frozen, adapter, promptLength, promptRows };
  return { ...sizes, of, blocks, headOver, mixing, padded, drawing };
}

/** Reading the prompts, and the first draw. */
function prefillWork(config: ModelConfig, parts: Parts): Work {
  const { prompts, samples, layers, promptLength, promptRows } = parts;
  const { of, blocks, mixing, drawing } = parts;
  const chunks = Math.ceil(prompts / Math.max(1, Math.floor(prefillTokens(config) / promptLength)));
  return add(
    times(chunks, blocks(promptRows / chunks)),
    { flops: mixing(promptRows, promptLength / 2) },
    { dispatches: chunks * (layers * of(PER_LAYER.forward) + 2) + 1 },
    drawing(samples),
  );
}

/** All tokens of all samples after the first. */
function decodeWork(config: ModelConfig, parts: Parts): Work {
  const { prompts, samplesPerPrompt, samples, promptTokens, responseTokens } = parts;
  const { layers, of, blocks, mixing, drawing } = parts;
  // what keys and values have no room for is decoded after the rest
  const together = decodedTogether(config, {
    prompts,
    samples: samplesPerPrompt,
    promptTokens,
    newTokens: responseTokens,
  });
  const calls = samples / (together.prompts * together.samples);
  const decoded = samples / calls;
  const cached = decoded * (promptTokens + responseTokens / 2);
  const cacheBytes =
    promptTokens * promptKeyValueBytes(config) + (responseTokens / 2) * keyValueBytes(config);
  const perLayer = of(decoded <= NORMED_ROWS ? PER_LAYER.decodeFew : PER_LAYER.decode);
  const attending = {
    flops: mixing(1, cached),
    bytes: decoded * cacheBytes,
    dispatches: layers * perLayer + 1,
  };
  const token = add(blocks(decoded), attending, drawing(decoded));
  return times(calls * (responseTokens - 1), token);
}

/** The reference's pass, and there and back. */
function passWork(config: ModelConfig, parts: Parts): Pick<StepWork, 'reference' | 'training'> {
  const { rank, samples, samplesPerPrompt, promptTokens, responseTokens } = parts;
  const { layers, hiddenSize, promptLength, promptRows } = parts;
  const { of, blocks, headOver, mixing, padded } = parts;
  const shares = samplesPerPrompt > 1;
  const rows = shares
    ? promptRows + samples * padded(responseTokens)
    : samples * padded(promptTokens + responseTokens);
  const budget = tokenBudget(config, true);
  // a sequence of its own is never cut, so a device batch holds whole ones
  const atOnce = Math.max(1, Math.floor(budget / padded(promptTokens + responseTokens)));
  const deviceBatches = Math.ceil(shares ? rows / budget : samples / atOnce);
  const scored = samples * responseTokens;
  // rows of a prompt look at it up to themselves; those of a branch at the whole prompt, and at their own up to themselves
  const branches = samples * padded(responseTokens);
  const mixed = shares
    ? mixing(promptRows, promptLength / 2) + mixing(branches, promptTokens + padded(responseTokens) / 2)
    : mixing(rows, padded(promptTokens + responseTokens) / 2);
  const pass = (forGradient: boolean): Work =>
    add(
      times(deviceBatches, blocks(rows / deviceBatches, forGradient)),
      times(deviceBatches, headOver(scored / deviceBatches)),
      { flops: mixed },
    );
  const [forward, kept] = [pass(false), pass(true)];
  const passOf = (perLayer: number, around: number): Partial<Work> => ({
    dispatches: deviceBatches * (layers * perLayer + around),
  });
  const reference = add(forward, passOf(PER_LAYER.forward[0], AROUND.forward)); // an adapter is off in it
  // Forward, and again for the gradient, the gradient by the input, and where all weights are trained the one by them.
  // Attention makes its scores again, twice, and has three gradients: 14 FLOP for the 4 of each forward. The
  // way back reads what was written forward and its gradients: 2.5 times as many bytes (recorded).
  const gradients = {
    flops: (rank === null ? 2 : 1) * (kept.flops - mixed) + 3.5 * mixed,
    bytes: 2.5 * kept.bytes,
    dispatches: 2 * kept.dispatches,
  };
  const share = trainedTogether(config, promptTokens + responseTokens, parts) / samples;
  const runsAgain = tapesKept(config, rows * share) === 0;
  // of the sequences that go together some have the inputs of their blocks kept; the others go forward once more
  const inputs = (4 * rows * hiddenSize * (layers + 1)) / deviceBatches;
  const apart = Math.max(1, deviceBatches * share);
  const dropped = runsAgain ? 1 - Math.min(apart, Math.floor(KEPT_BYTES / inputs)) / apart : 0;
  const training = add(
    kept,
    gradients,
    times(dropped, add(forward, passOf(of(PER_LAYER.forward), AROUND.forward))),
    ...(runsAgain ? [{ ...forward, dispatches: 0 }] : []),
    passOf(of(PER_LAYER.back) + (runsAgain ? of(PER_LAYER.forward) : 0), AROUND.training),
  );
  return { reference: parts.reference ? reference : add(), training };
}

/** The work of a step, by phase. */
export function countStep(config: ModelConfig, batch: StepBatch): StepWork {
  const parts = partsOf(config, batch);
  const trained = trainedCount(config, batch.rank);
  return {
    prefill: prefillWork(config, parts),
    decode: decodeWork(config, parts),
    ...passWork(config, parts),
    // the gradient twice (its norm first); parameters and both moments read and written
    update: { flops: 14 * trained, bytes: 4 * 8 * trained, dispatches: 2 },
  };
}

export function secondsOf({ flops, bytes, dispatches }: Work, card: Card): number {
  const busy = Math.max(bytes / card.bytesPerSecond, flops / card.flopsPerSecond);
  return busy + dispatches * card.secondsPerDispatch;
}

export interface StepPrediction {
  seconds: number;
  /** Seconds by phase. */
  phases: Record<keyof StepWork, number>;
}

export function predictStep(config: ModelConfig, batch: StepBatch, card: Card): StepPrediction {
  const work = countStep(config, batch);
  const byPhase = Object.fromEntries(
    phases.map((phase) => [phase, secondsOf(work[phase], card)]),
  ) as StepPrediction['phases'];
  return {
    seconds: phases.reduce((sum, phase) => sum + byPhase[phase], 0),
    phases: byPhase,
  };
}
