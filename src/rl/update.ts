/**
 * How the rollouts of a step are gone through and what is counted on the way: in `passes` x `miniBatches` optimiser
 * updates, each in micro-batches that run at once. With micro-batches the gradients of parts accumulate; every part
 * divides by the totals of the whole update, so that the sum is the gradient of the whole.
 *
 * Left out: importance correction between sampler and trainer (their gap is measured and alerted on instead), and
 * skipping groups whose advantages are all zero on the way forward (their entropy and KL are wanted in the record); on
 * the way back the model goes through no micro-batch without a gradient.
 */
import { createRandom } from '../random';
import type { PassProgress, Policy, TokenStatistics } from '../model/policy';
import type { RunConfig } from '../run/config';
import type { UpdateFigures } from '../run/metrics';
import type { Sample } from '../run/sample';
import { mean } from '../run/statistics';
import type { EntropyControl } from './entropy-target';
import type { Gathered } from './gather';
import { stepTotals, type LossReport, type StepTotals } from './loss';

/** The rollouts of a step, and which of them are trained on. */
export interface Batch {
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

/** How a batch is gone through. */
export interface UpdatePlan {
  updates: MiniBatch[];
  /** Where the log-probabilities under the policy that sampled come from: see `oldStatistics`. */
  old: 'first pass' | 'own pass' | 'sampler';
}

/** One optimiser update. */
export interface MiniBatch {
  totals: StepTotals;
  parts: MicroBatch[];
}

/** Rollouts that run at once. */
export interface MicroBatch {
  /** Their places in the batch. */
  members: readonly number[];
  sequences: number[][];
  promptLengths: number[];
  /** Of the step's work on its updates, the fraction before this micro-batch, and that of its own. */
  before: number;
  fraction: number;
}

const MINI_BATCH_STREAM = 0x6d6962;
/** Of the work, what a pass for the old log-probabilities is. */
const OLD_FRACTION = 0.25;

/**
 * @param needsLogprobs whether advantages or the choice of tokens depend on log-probabilities
 * @param step with the seed it fixes how rollouts fall into mini-batches
 */
export function planUpdates(
  { samples, counted, masks }: Batch,
  needsLogprobs: boolean,
  config: RunConfig,
  step: number,
): UpdatePlan {
  const { passes, miniBatches: asked } = config.optimizer;
  const miniBatches = Math.min(asked, samples.length);
  const count = passes * miniBatches;
  const size = microBatchSize(config, samples);
  const isSplit = size < samples.length;
  const old = count > 1 || (isSplit && needsLogprobs) ? 'own pass' : isSplit ? 'sampler' : 'first pass';
  const begun = old === 'own pass' ? OLD_FRACTION : 0;
  const updates = Array.from({ length: count }, (_, update) => {
    const members = miniBatchMembers(samples.length, update, miniBatches, config, step);
    const trained = members.filter((i) => i < counted.length);
    const totals = stepTotals(
      trained.map((i) => samples[i].response),
      trained.map((i) => masks[i]),
    );
    let done = 0;
    const parts = chunks(members, size).map((part): MicroBatch => {
      const before = begun + ((1 - begun) * (update + done / members.length)) / count;
      done += part.length;
      return {
        members: part,
        sequences: part.map((i) => [...samples[i].prompt, ...samples[i].response]),
        promptLengths: part.map((i) => samples[i].prompt.length),
        before,
        fraction: ((1 - begun) * part.length) / (members.length * count),
      };
    });
    return { totals, parts };
  });
  return { updates, old };
}

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

function microBatchSize({ optimizer }: RunConfig, samples: readonly Sample[]): number {
  return optimizer.microBatch === 0 ? samples.length : optimizer.microBatch;
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let first = 0; first < values.length; first += size) parts.push(values.slice(first, first + size));
  return parts;
}

/**
 * log-probabilities and entropies of every response by the trainer's forward pass, in micro-batches.
 *
 * @param onProgress is told the fraction done before each micro-batch and within
 */
export async function responseStatistics(
  policy: Policy,
  samples: readonly Sample[],
  config: RunConfig,
  { adapter, onProgress }: { adapter?: 'off'; onProgress: PassProgress },
): Promise<TokenStatistics> {
  const { temperature } = config.rollout;
  const statistics: TokenStatistics = { logprobs: [], entropies: [] };
  let done = 0;
  for (const part of chunks(samples, microBatchSize(config, samples))) {
    const before = done;
    await onProgress(before / samples.length);
    const found = await policy.logprobs(
      part.map(({ prompt, response }) => [...prompt, ...response]),
      part.map(({ prompt }) => prompt.length),
      {
        temperature,
        adapter,
        onProgress: (inPart) => onProgress((before + inPart * part.length) / samples.length),
      },
    );
    statistics.logprobs.push(...found.logprobs);
    statistics.entropies.push(...found.entropies);
    done += part.length;
  }
  return statistics;
}

/**
 * What the policy that sampled says of the responses. It is the policy at hand until the first update, so where one update
 * takes all of them at once, its own forward pass tells (null). Otherwise they are taken by a pass before it, unless nothing
 * depends on them: then the ratio of the one update is 1 whatever stands here, and the sampler's do.
 */
export async function oldStatistics(
  policy: Policy,
  samples: readonly Sample[],
  { old }: UpdatePlan,
  config: RunConfig,
  onProgress: PassProgress,
): Promise<TokenStatistics | null> {
  switch (old) {
    case 'first pass':
      return null;
    case 'sampler':
      return { logprobs: samples.map(({ samplerLogprobs }) => samplerLogprobs), entropies: [] };
    case 'own pass':
      return responseStatistics(policy, samples, config, {
        onProgress: (done) => onProgress(OLD_FRACTION * done),
      });
  }
}

export interface UpdateReport extends UpdateFigures {
  /** Mean advantage of each sample's tokens. */
  advantages: number[];
  /** Where the entropy coefficient has arrived. */
  entropyControl: EntropyControl;
  /** False where loss or gradient were not finite; that update changed nothing and was the last. */
  applied: boolean;
}

/** Sums over the micro-batches and updates of one step. */
export class Tally {
  /** log p of each response under the policy at the beginning of the first update, by place in the batch. */
  readonly firstLogprobs: Float32Array[] = [];
  private readonly gradNorms: number[] = [];
  private readonly losses: number[] = [];
  /** Response tokens of all updates. */
  private tokens = 0;
  /** Of these, the tokens that took part in the loss. */
  private taking = 0;
  private kl: number | null = null;
  private clipped = 0;
  private entropy = 0;
  /** Of the present update alone, over the tokens whose policy term counts. */
  private kept = { tokens: 0, entropy: 0 };
  /** Of the first update alone, where the trainer's policy is still the one that sampled. */
  private firstTokens = 0;
  private gap = 0;
  private largestGap = 0;

  constructor(private readonly samples: readonly Sample[]) {}

  beginUpdate(): void {
    this.losses.push(0);
    this.kept = { tokens: 0, entropy: 0 };
  }

  add(members: readonly number[], { logprobs, entropies }: TokenStatistics, report: LossReport): void {
    const count = logprobs.reduce((sum, row) => sum + row.length, 0);
    this.losses[this.losses.length - 1] += report.loss;
    this.tokens += count;
    this.taking += report.tokens;
    this.kept.tokens += report.kept.tokens;
    this.kept.entropy += report.kept.entropy * report.kept.tokens;
    if (report.kl !== null) this.kl = (this.kl ?? 0) + report.kl * report.tokens;
    this.clipped += report.clipFraction * report.tokens;
    this.entropy += entropies.reduce((sum, row) => sum + row.reduce((inner, value) => inner + value, 0), 0);
    if (this.losses.length > 1) return;
    members.forEach((index, row) => {
      this.firstLogprobs[index] = logprobs[row];
      this.samples[index].samplerLogprobs.forEach((value, token) => {
        const gap = Math.abs(value - logprobs[row][token]);
        this.gap += gap;
        this.largestGap = Math.max(this.largestGap, gap);
      });
    });
    this.firstTokens += count;
  }

  /** @returns the mean entropy of the update that ends; null where no token took part */
  endUpdate(gradNorm: number): number | null {
    this.gradNorms.push(gradNorm);
    return this.kept.tokens === 0 ? null : this.kept.entropy / this.kept.tokens;
  }

  lossIsFinite(): boolean {
    return Number.isFinite(this.losses.at(-1));
  }

  report(
    advantages: readonly Float64Array[],
    entropyControl: EntropyControl,
    applied: boolean,
  ): UpdateReport {
    const perToken = 1 / Math.max(1, this.taking);
    return {
      loss: mean(this.losses),
      kl: this.kl === null ? null : this.kl * perToken,
      entropy: this.entropy * (1 / Math.max(1, this.tokens)),
      clipFraction: this.clipped * perToken,
      gradNorm: mean(this.gradNorms),
      samplerGap: { mean: this.gap / Math.max(1, this.firstTokens), max: this.largestGap },
      advantages: advantages.map((row) => mean([...row])),
      entropyControl,
      applied,
    };
  }
}
