/**
 * From a batch of scored rollouts to changed parameters. In the usual case, one update per batch, this is one forward
 * and one backward pass: the model hands over the log-probabilities of the response tokens, which are at the same time
 * the old and the new ones (the ratio is exactly 1), and asks back for the gradient of the loss by each of them.
 *
 * With several passes or mini-batches the old log-probabilities are taken once, before the first update, by the same
 * forward pass: the decoder's own, computed by other kernels, would make the ratio differ from 1 for no reason. With
 * micro-batches the gradients of parts accumulate; every part divides by the totals of the whole update, so that the
 * sum is the gradient of the whole.
 *
 * Left out: importance correction between sampler and trainer (their gap is measured and alerted on instead), and
 * skipping groups whose advantages are all zero on the way forward (their entropy and divergence are wanted in the
 * record); on the way back the model goes through no micro-batch without a gradient.
 */
import { createRandom } from '../random';
import type { AdamWOptions, Policy, TokenGradients, TokenStatistics } from '../model/policy';
import { computeAdvantages } from './advantages';
import { choosesTokens, resolveAlgorithm, type AlgorithmSettings } from '../run/algorithm';
import type { AlgorithmConfig, RunConfig } from '../run/config';
import { appliedEntropyCoefficient, nextEntropyControl, type EntropyControl } from './entropy-target';
import { policyLoss, stepTotals, type LossReport } from './loss';
import { mapped, reporting } from './progress';
import type { UpdateFigures } from '../run/metrics';
import type { Sample } from '../run/sample';
import { mean } from '../run/statistics';
import { choiceOf, chooseTokens, type TokenChoice } from './token-choice';

export interface UpdateReport extends UpdateFigures {
  /** Mean advantage of each sample's tokens. */
  advantages: number[];
  /** Where the entropy coefficient has arrived. */
  entropyControl: EntropyControl;
  /** False where loss or gradient were not finite; that update changed nothing and was the last. */
  applied: boolean;
}

export interface UpdateOptions {
  config: RunConfig;
  /** With the coefficient that an adaptive KL has reached. */
  algorithm: AlgorithmConfig;
  /** Where the entropy coefficient stands. */
  entropyControl: EntropyControl;
  adamw: AdamWOptions;
  /** Of the response tokens under the reference policy; null where no divergence is wanted. */
  reference: readonly Float32Array[] | null;
  /** Steps done: with the seed it fixes how rollouts fall into mini-batches. */
  step: number;
  /** Groups that are trained on, the first ones; those behind them only fill the batch, and count in no total. */
  groups: number;
}

interface Batch {
  sequences: number[][];
  promptLengths: number[];
  /** Responses left out of the loss are masked whole. */
  masks: (Uint8Array | undefined)[];
}

/** What the rollouts are judged by, once their log-probabilities are known. */
interface Judgement {
  old: readonly ArrayLike<number>[];
  advantages: Float64Array[];
  choice: TokenChoice | null;
}

const MINI_BATCH_STREAM = 0x6d6962;
/** Of a batch that needs its old log-probabilities first, the share of the work that they are. */
const OLD_SHARE = 0.25;

/**
 * Takes `passes` x `miniBatches` optimiser steps on one batch of rollouts.
 *
 * @yields the share of the work done, before every micro-batch and within; never after the last update
 */
export async function* updatePolicy(
  policy: Policy,
  samples: readonly Sample[],
  options: UpdateOptions,
): AsyncGenerator<number, UpdateReport, void> {
  const { optimizer, rollout } = options.config;
  const { reference, algorithm } = options;
  const temperature = rollout.temperature;
  const settings: AlgorithmSettings = { ...algorithm, maxLength: rollout.maxNewTokens };
  const batch = toBatch(samples, options);
  const everyone = samples.map((_, index) => index);
  const counts = (i: number): boolean => samples[i].group < options.groups;
  const microBatch = microBatchOf(options.config, samples);
  const miniBatches = Math.min(optimizer.miniBatches, samples.length);
  const updates = optimizer.passes * miniBatches;
  const tally = new Tally(samples);
  const resolved = resolveAlgorithm(settings);
  let { entropyControl } = options;

  const judge = ({ logprobs: old, entropies }: TokenStatistics): Judgement => {
    const advantages: Float64Array[] = old.map((row) => new Float64Array(row.length));
    const counted = everyone.filter(counts);
    const judged = computeAdvantages(
      counted.map((i) => ({
        reward: samples[i].reward.total,
        group: samples[i].group,
        logprobs: old[i],
        refLogprobs: reference?.[i],
        mask: batch.masks[i],
      })),
      settings,
    );
    counted.forEach((i, place) => (advantages[i] = judged[place]));
    const choice = chooseTokens({ logprobs: old, entropies, advantages, masks: batch.masks }, settings, {
      seed: options.config.seed,
      step: options.step,
    });
    return { old, advantages, choice };
  };

  let judgement: Judgement | null = null;
  let share = 0;
  const needsOld = algorithm.kl.place === 'reward' || choosesTokens(resolved);
  if (updates > 1 || (microBatch < samples.length && needsOld)) {
    share = OLD_SHARE;
    const old = responseStatistics(policy, samples, microBatch, { temperature });
    judgement = judge(yield* mapped(old, (done) => OLD_SHARE * done));
  } else if (microBatch < samples.length) {
    // These advantages depend on the lengths alone, and the first update's ratio is 1 whatever stands here.
    judgement = judge({ logprobs: samples.map(({ samplerLogprobs }) => samplerLogprobs), entropies: [] });
  }

  for (let update = 0; update < updates; update++) {
    const members = miniBatchMembers(everyone, update, miniBatches, options);
    const counted = members.filter(counts);
    const totals = stepTotals(
      counted.map((i) => samples[i].response),
      counted.map((i) => batch.masks[i]),
    );
    const entropyCoefficient = appliedEntropyCoefficient(entropyControl, resolved);
    tally.beginUpdate();
    let done = 0;
    for (const part of chunks(members, microBatch)) {
      const { sequences, promptLengths, masks } = select(batch, part);
      const objective = (tokens: TokenStatistics): TokenGradients => {
        judgement ??= judge(tokens);
        const { old, advantages, choice } = judgement;
        const report = policyLoss(
          tokens.logprobs,
          update === 0 ? tokens.logprobs : part.map((i) => old[i]),
          reference === null ? null : part.map((i) => reference[i]),
          part.map((i) => advantages[i]),
          { ...settings, entropyCoefficient },
          {
            masks,
            entropies: tokens.entropies,
            choice: choice === null ? null : choiceOf(choice, part),
            step: totals,
          },
        );
        tally.add(part, tokens, report);
        return {
          logprobs: report.gradient.map((row) => Float32Array.from(row)),
          ...(entropyCoefficient === 0
            ? {}
            : { entropies: report.entropyGradient.map((row) => Float32Array.from(row)) }),
        };
      };
      const before = done;
      const shareAt = (inPart: number): number =>
        share + ((1 - share) * (update + before + (inPart * part.length) / members.length)) / updates;
      yield shareAt(0);
      yield* reporting((report) =>
        policy.backward(sequences, promptLengths, {
          temperature,
          objective,
          onProgress: (inPart) => report(shareAt(inPart)),
        }),
      );
      done += part.length / members.length;
    }
    if (!tally.lossIsFinite()) return tally.report(judgement, entropyControl, false);
    const { gradNorm, applied } = await policy.update(options.adamw);
    entropyControl = nextEntropyControl(entropyControl, tally.endUpdate(gradNorm), resolved);
    if (!applied) return tally.report(judgement, entropyControl, false);
  }
  return tally.report(judgement, entropyControl, true);
}

/**
 * log-probabilities and entropies of every response by the trainer's forward pass.
 *
 * @param microBatch sequences run at once
 * @yields the share done
 */
export async function* responseStatistics(
  policy: Policy,
  samples: readonly Sample[],
  microBatch: number,
  options: { temperature: number; adapter?: 'off' },
): AsyncGenerator<number, TokenStatistics, void> {
  const statistics: TokenStatistics = { logprobs: [], entropies: [] };
  for (let first = 0; first < samples.length; first += microBatch) {
    const part = samples.slice(first, first + microBatch);
    const shareAt = (inPart: number): number => (first + inPart * part.length) / samples.length;
    yield shareAt(0);
    const found = yield* reporting((report) =>
      policy.logprobs(
        part.map(({ prompt, response }) => [...prompt, ...response]),
        part.map(({ prompt }) => prompt.length),
        { ...options, onProgress: (inPart) => report(shareAt(inPart)) },
      ),
    );
    statistics.logprobs.push(...found.logprobs);
    statistics.entropies.push(...found.entropies);
  }
  return statistics;
}

function toBatch(
  samples: readonly Sample[],
  { algorithm, groups }: Pick<UpdateOptions, 'algorithm' | 'groups'>,
): Batch {
  const isLeftOut = ({ finished, group }: Sample): boolean =>
    (algorithm.maskTruncated && !finished) || group >= groups;
  return {
    sequences: samples.map(({ prompt, response }) => [...prompt, ...response]),
    promptLengths: samples.map(({ prompt }) => prompt.length),
    masks: samples.map((sample) => (isLeftOut(sample) ? new Uint8Array(sample.response.length) : undefined)),
  };
}

/** Sequences run at once. */
export function microBatchOf({ optimizer }: RunConfig, samples: readonly Sample[]): number {
  return optimizer.microBatch === 0 ? samples.length : optimizer.microBatch;
}

function select(batch: Batch, part: readonly number[]): Batch {
  return {
    sequences: part.map((i) => batch.sequences[i]),
    promptLengths: part.map((i) => batch.promptLengths[i]),
    masks: part.map((i) => batch.masks[i]),
  };
}

function chunks(indices: readonly number[], size: number): number[][] {
  const parts: number[][] = [];
  for (let first = 0; first < indices.length; first += size) {
    parts.push(indices.slice(first, first + size));
  }
  return parts;
}

/** Every pass goes over all rollouts, in an order of its own where it is more than one update. */
function miniBatchMembers(
  everyone: readonly number[],
  update: number,
  miniBatches: number,
  { config, step }: UpdateOptions,
): readonly number[] {
  if (miniBatches === 1) return everyone;
  const pass = Math.floor(update / miniBatches);
  const place = update % miniBatches;
  const random = createRandom(config.seed, MINI_BATCH_STREAM, step * config.optimizer.passes + pass);
  const border = (index: number): number => Math.floor((index * everyone.length) / miniBatches);
  return random.shuffle(everyone).slice(border(place), border(place + 1));
}

/** Sums over the micro-batches and updates of one step. */
class Tally {
  private readonly gradNorms: number[] = [];
  private readonly losses: number[] = [];
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

  add(part: readonly number[], { logprobs, entropies }: TokenStatistics, report: LossReport): void {
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
    part.forEach((index, row) => {
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

  report(judgement: Judgement | null, entropyControl: EntropyControl, applied: boolean): UpdateReport {
    const perToken = 1 / Math.max(1, this.taking);
    return {
      loss: mean(this.losses),
      kl: this.kl === null ? null : this.kl * perToken,
      entropy: this.entropy * (1 / Math.max(1, this.tokens)),
      clipFraction: this.clipped * perToken,
      gradNorm: mean(this.gradNorms),
      samplerGap: { mean: this.gap / Math.max(1, this.firstTokens), max: this.largestGap },
      advantages: (judgement?.advantages ?? []).map((row) => mean([...row])),
      entropyControl,
      applied,
    };
  }
}
