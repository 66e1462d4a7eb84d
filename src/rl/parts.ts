/**
 * Splits the rollouts of a step into `passes` x `miniBatches` optimiser updates, each in parts of `microBatch` rollouts
 * that run together. The gradients of parts accumulate. Every part divides by the totals of the whole update, so the
 * sum is the gradient of the whole update.
 *
 * Left out: importance correction between sampler and trainer (their gap is measured and raises an alert instead), and
 * skipping groups with zero advantages in the forward pass (the record includes their entropy and KL). The backward
 * pass skips parts without a gradient.
 */
import { createRandom } from '../base/random';
import { keptTogether, keptTogetherOnCpu } from '../base/rows-at-once';
import type { PassProgress, Policy } from '../model/policy';
import type { RunConfig } from '../run/config/config';
import type { Sample } from '../run/record/sample';
import type { Gathered } from './gather';

/** The rollouts of a step, and which of them are trained on. */
interface Batch {
  samples: readonly Sample[];
  /** The first rollouts, which count in every total; later groups only fill the batch. */
  counted: readonly Sample[];
  /** 0 for every token of a response that is left out of the loss; undefined if none is. */
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

/** Sequences that are passed to the policy together; `model/batch.ts` splits them further, by device memory. */
interface Part {
  /** Index of the first sequence among all rows. */
  first: number;
  sequences: number[][];
  promptLengths: number[];
  /** Completed fraction of all rows when the fraction `inPart` of this part is complete. */
  done: (inPart: number) => number;
}

/** @param size rows in a part; 0 puts all rows in one part */
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

const MINI_BATCH_STREAM = 0x6d6962;

/**
 * Indices of the rollouts in each optimiser update of a step. Depends only on the seed and the step. Each pass covers all
 * rollouts, in a new random order if it has more than one update.
 */
export function updatesOf(count: number, { seed, optimizer }: RunConfig, step: number): number[][] {
  const { passes } = optimizer;
  const miniBatches = Math.min(optimizer.miniBatches, count);
  const everyone = Array.from({ length: count }, (_, index) => index);
  const border = (index: number): number => Math.floor((index * count) / miniBatches);
  return Array.from({ length: passes }, (_, pass) => {
    if (miniBatches === 1) return [everyone];
    const shuffled = createRandom(seed, MINI_BATCH_STREAM, step * passes + pass).shuffle(everyone);
    return Array.from({ length: miniBatches }, (_, place) =>
      shuffled.slice(border(place), border(place + 1)),
    );
  }).flat();
}

/** Rows of a part if each part runs forward and backward on its own. */
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
 * Log-probabilities of every response token, from the trainer's forward pass.
 *
 * @param onProgress receives the completed fraction before and within each part
 */
export async function responseLogprobs(
  policy: Policy,
  samples: readonly Sample[],
  { rollout, optimizer }: RunConfig,
  { adapter, onProgress }: { adapter?: 'off'; onProgress: PassProgress },
): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (const { sequences, promptLengths, done } of partsOf(samples, optimizer.microBatch)) {
    await onProgress(done(0));
    const { logprobs } = await policy.logprobs(sequences, promptLengths, {
      temperature: rollout.temperature,
      adapter,
      onProgress: (inPart) => onProgress(done(inPart)),
    });
    for (const row of logprobs) rows.push(row);
  }
  return rows;
}
