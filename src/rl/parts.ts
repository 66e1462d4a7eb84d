/**
 * How the rollouts of a step are gone through: in `passes` x `miniBatches` optimiser updates, each in parts of
 * `microBatch` rollouts that run at once. The gradients of parts accumulate; every part divides
 * by the totals of the whole update, so that the sum is the gradient of the whole.
 *
 * Left out: importance correction between sampler and trainer (their gap is measured and alerted on instead), and
 * skipping groups whose advantages are all zero on the way forward (their entropy and KL are wanted in the record); on
 * the way back the model goes through no part without a gradient.
 */
import { createRandom } from '../base/random';
import { keptTogether, keptTogetherOnCpu } from '../base/rows-at-once';
import type { PassProgress, Policy, TokenStatistics } from '../model/policy';
import type { RunConfig } from '../run/config/config';
import type { Sample } from '../run/record/sample';
import type { Gathered } from './gather';

/** The rollouts of a step, and which of them are trained on. */
interface Batch {
  samples: readonly Sample[];
  /** The first ones, which count in every total; groups behind them only fill the batch. */
  counted: readonly Sample[];
  /** 0 at every token of a response that is left out of the loss. */
  masks: (Uint8Array | undefined)[];
}

export function trainingBatch({ samples, padded }: Gathered, config: RunConfig): Batch {
  const groups = config.rollout.promptsPerStep - padded;
  const isLeftOut = ({ finished, group }: Sample): boolean =>
    (config.algorithm.maskTruncated && !finished) || group >= groups;
  return {
    samples,
    counted: samples.filter(({ group }) => group < groups),
    masks: samples.map((sample) => (isLeftOut(sample) ? new Uint8Array(sample.response.length) : undefined)),
  };
}

/** Sequences that the policy is given at once; `model/batch.ts` cuts them further, by what the device holds. */
interface Part {
  /** Place of the first among all rows. */
  first: number;
  sequences: number[][];
  promptLengths: number[];
  /** Of all rows the fraction that is done where `inPart` of these is. */
  done: (inPart: number) => number;
}

/** @param size rows of a part; 0 takes all together */
export function* partsOf(all: readonly Pick<Sample, 'prompt' | 'response'>[], size: number): Generator<Part> {
  for (let first = 0; first < all.length; first += size || all.length) {
    const rows = all.slice(first, first + (size || all.length));
    yield {
      first,
      sequences: rows.map(({ prompt, response }) => [...prompt, ...response]),
      promptLengths: rows.map(({ prompt }) => prompt.length),
      done: (inPart) => (first + inPart * rows.length) / all.length,
    };
  }
}

/** The rollouts of each optimiser update of a step, by their places; with the step, the seed fixes how they fall together. */
export function updatesOf(count: number, config: RunConfig, step: number): number[][] {
  const miniBatches = Math.min(config.optimizer.miniBatches, count);
  return Array.from({ length: config.optimizer.passes * miniBatches }, (_, update) =>
    miniBatchMembers(count, update, miniBatches, config, step),
  );
}

const MINI_BATCH_STREAM = 0x6d6962;

/** Every pass goes over all rollouts, in an order of its own where it is more than one update. */
function miniBatchMembers(
  count: number,
  update: number,
  miniBatches: number,
  { seed, optimizer }: RunConfig,
  step: number,
): number[] {
  const everyone = Array.from({ length: count }, (_, index) => index);
  if (miniBatches === 1) return everyone;
  const pass = Math.floor(update / miniBatches);
  const place = update % miniBatches;
  const random = createRandom(seed, MINI_BATCH_STREAM, step * optimizer.passes + pass);
  const border = (index: number): number => Math.floor((index * count) / miniBatches);
  return random.shuffle(everyone).slice(border(place), border(place + 1));
}

/** Rows of a part where each part goes forward and back by itself. */
export function keptPart(
  { config, runsOn }: Policy,
  rows: readonly Pick<Sample, 'prompt' | 'response'>[],
  { rollout: { samplesPerPrompt }, optimizer }: RunConfig,
): number {
  const longest = rows.reduce(
    (most, { prompt, response }) => Math.max(most, prompt.length + response.length),
    0,
  );
  const microBatch = Math.min(optimizer.microBatch || rows.length, rows.length);
  const sizes = { microBatch, samplesPerPrompt };
  if (runsOn === 'webgpu') return keptTogether(config, longest, sizes);
  const tokens = rows.reduce(
    (sum, { prompt, response }) => sum + prompt.length / samplesPerPrompt + response.length,
    0,
  );
  return keptTogetherOnCpu(config, (tokens * microBatch) / rows.length, longest, sizes);
}

/**
 * log-probabilities and entropies of every response by the trainer's forward pass.
 *
 * @param onProgress is told the fraction done before each part and within
 */
export async function responseStatistics(
  policy: Policy,
  samples: readonly Sample[],
  { rollout, optimizer }: RunConfig,
  { adapter, onProgress }: { adapter?: 'off'; onProgress: PassProgress },
): Promise<TokenStatistics> {
  const statistics: TokenStatistics = { logprobs: [], entropies: [] };
  for (const { sequences, promptLengths, done } of partsOf(samples, optimizer.microBatch)) {
    await onProgress(done(0));
    const found = await policy.logprobs(sequences, promptLengths, {
      temperature: rollout.temperature,
      adapter,
      onProgress: (inPart) => onProgress(done(inPart)),
    });
    for (const logprobs of found.logprobs) statistics.logprobs.push(logprobs);
    for (const entropies of found.entropies) statistics.entropies.push(entropies);
  }
  return statistics;
}
