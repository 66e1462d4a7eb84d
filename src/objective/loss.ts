/**
 * The policy loss of one optimiser step and its gradient with respect to the log-probability of every response token.
 * Training uses this code on every backend: the model's backward pass starts from these gradients.
 *
 *   ratio = exp(clamp(lpNew - lpOld, -20, 20))
 *   l     = -min(ratio * A, clip(ratio, 1 - clipLow, 1 + clipHigh) * A);    dual clip: at most -c * A where A < 0
 *   loss  = sum w * (l + beta * KL(lpNew, lpRef) - cH * entropy)
 *
 * w is the aggregation: 1 / tokens (token-mean), 1 / (sequences * tokens of the sequence) (sequence-mean),
 * 1 / sequences (sequence-sum), 1 / (sequences * limit) (constant-length). With one ratio per sequence (RLOO),
 * log-probabilities are summed over the response, the advantage is the mean of its tokens' advantages, l is averaged over
 * sequences, and KL and entropy use the token-mean. The KL term is present only if `kl.place` is `loss`.
 *
 * Sources: PPO (arXiv 1707.06347), dual clip (1912.09729). Left out: a value loss (no critic).
 */
import { MarbleError } from '../base/error';
import { checkKeys } from '../base/known-keys';
import { resolveAlgorithm, type AlgorithmSettings, type ResolvedAlgorithm } from './algorithm';
import { estimateKl, klSlope } from './kl';

export interface LossOptions {
  /** Per response token: 0 excludes it. Omitted: all tokens count. */
  masks?: readonly (ArrayLike<number> | undefined)[];
  /** Entropy (nats) at every response token. Omitted: `loss` excludes the entropy bonus. */
  entropies?: readonly ArrayLike<number>[];
  /** Totals of the whole optimiser step, if these sequences are only a part of it. */
  step?: StepTotals;
}

export interface StepTotals {
  sequences: number;
  /** Unmasked response tokens. */
  tokens: number;
  /** Longest response in tokens, the limit of `constant-length` unless the settings give one. */
  longest: number;
}

export interface LossReport {
  loss: number;
  /** Unmasked response tokens. */
  tokens: number;
  /** Fraction of tokens whose gradient is 0 because of the clip (TRL's `clip_ratio/region_mean`). */
  clipFraction: number;
  /** Token-mean of the chosen estimator between the new policy and the reference; null without a reference. */
  kl: number | null;
  /** d loss / d lpNew, one array per sequence; 0 at masked tokens. */
  gradient: Float64Array[];
  /** d loss / d entropy, in the same shapes. */
  entropyGradient: Float64Array[];
}

const LOG_RATIO_LIMIT = 20;

/**
 * Computes the loss of some sequences of an optimiser step, and its gradient.
 *
 * @param logprobs log-probabilities of the response tokens under the current policy, one array per sequence, nats
 * @param oldLogprobs log-probabilities under the policy that sampled them; equal to `logprobs` on the first update of a batch
 * @param refLogprobs log-probabilities under the reference policy, or null for no KL
 * @param advantages from `computeAdvantages`, in the same shapes
 * @throws MarbleError `rl/bad-loss-input` if shapes differ, `rl/no-reference` if the loss needs `refLogprobs`
 */
export function policyLoss(
  logprobs: readonly ArrayLike<number>[],
  oldLogprobs: readonly ArrayLike<number>[],
  refLogprobs: readonly ArrayLike<number>[] | null,
  advantages: readonly ArrayLike<number>[],
  algorithm: AlgorithmSettings,
  options: LossOptions = {},
): LossReport {
  const settings = resolveAlgorithm(algorithm);
  const { masks, entropies } = options;
  checkShapes(logprobs, { oldLogprobs, refLogprobs, advantages, masks, entropies });
  const klInLoss = settings.kl.place === 'loss' && settings.kl.coefficient !== 0;
  if (klInLoss && refLogprobs === null) {
    throw new MarbleError(
      'rl/no-reference',
      `The loss contains the KL with coefficient ${settings.kl.coefficient}, but refLogprobs is null.`,
      'Pass refLogprobs, or set kl.place to "none".',
    );
  }
  checkKeys('policyLoss', options, { masks: true, entropies: true, step: true });
  const isOn = (i: number, token: number): boolean => masks?.[i] === undefined || masks[i][token] !== 0;
  const step = options.step ?? stepTotals(logprobs, masks);
  const limit = algorithm.maxLength ?? step.longest;

  const gradient = logprobs.map((row) => new Float64Array(row.length));
  const entropyGradient = logprobs.map((row) => new Float64Array(row.length));
  let loss = 0;
  let clipped = 0;
  let kl = 0;
  let tokens = 0;

  for (let i = 0; i < logprobs.length; i++) {
    const response = Array.from(logprobs[i], (_, token) => token).filter((token) => isOn(i, token));
    const weight = tokenWeight(settings, step, response.length, limit);
    const logRatio = (token: number): number => logprobs[i][token] - oldLogprobs[i][token];
    tokens += response.length;

    if (settings.ratio === 'sequence' && response.length > 0) {
      const sumOver = (value: (token: number) => number): number =>
        response.reduce((sum, token) => sum + value(token), 0);
      const advantage = sumOver((token) => advantages[i][token]) / response.length;
      const term = clippedTerm(sumOver(logRatio), advantage, settings);
      loss += term.loss / step.sequences;
      clipped += term.isClipped ? response.length : 0;
      for (const token of response) {
        gradient[i][token] = term.slope / step.sequences;
      }
    }
    for (const token of response) {
      if (settings.ratio === 'token') {
        const term = clippedTerm(logRatio(token), advantages[i][token], settings);
        loss += weight * term.loss;
        clipped += term.isClipped ? 1 : 0;
        gradient[i][token] = weight * term.slope;
      }
      if (refLogprobs !== null) {
        const toReference = logprobs[i][token] - refLogprobs[i][token];
        const divergence = estimateKl(settings.kl.estimator, toReference);
        kl += divergence;
        if (klInLoss) {
          loss += weight * settings.kl.coefficient * divergence;
          gradient[i][token] +=
            weight * settings.kl.coefficient * klSlope(settings.kl.estimator, toReference);
        }
      }
      if (settings.entropyCoefficient !== 0) {
        loss -= weight * settings.entropyCoefficient * (entropies?.[i][token] ?? 0);
        entropyGradient[i][token] = -weight * settings.entropyCoefficient;
      }
    }
  }
  const perToken = 1 / Math.max(1, tokens);
  return {
    loss,
    tokens,
    clipFraction: clipped * perToken,
    kl: refLogprobs === null ? null : kl * perToken,
    gradient,
    entropyGradient,
  };
}

/** Totals over all sequences of an optimiser step, the divisors of the aggregation. */
export function stepTotals(
  responses: readonly ArrayLike<number>[],
  masks?: readonly (ArrayLike<number> | undefined)[],
): StepTotals {
  let tokens = 0;
  let longest = 0;
  responses.forEach((response, i) => {
    const mask = masks?.[i];
    tokens += mask === undefined ? response.length : Array.from(mask).filter((value) => value !== 0).length;
    longest = Math.max(longest, response.length);
  });
  return { sequences: responses.length, tokens, longest };
}

function tokenWeight(settings: ResolvedAlgorithm, step: StepTotals, tokens: number, limit: number): number {
  const aggregation = settings.ratio === 'sequence' ? 'token-mean' : settings.aggregation;
  switch (aggregation) {
    case 'token-mean':
      return 1 / Math.max(1, step.tokens);
    case 'sequence-mean':
      return 1 / (step.sequences * Math.max(1, tokens));
    case 'sequence-sum':
      return 1 / step.sequences;
    case 'constant-length':
      return 1 / (step.sequences * limit);
  }
}

interface Term {
  loss: number;
  /** d loss / d log-probability */
  slope: number;
  isClipped: boolean;
}

/** Negated PPO objective of one ratio and its slope: the minimum of the plain and the clipped term, bounded by the dual clip. */
function clippedTerm(
  logRatio: number,
  advantage: number,
  { clipLow, clipHigh, dualClip }: ResolvedAlgorithm,
): Term {
  const ratio = Math.exp(Math.max(-LOG_RATIO_LIMIT, Math.min(LOG_RATIO_LIMIT, logRatio)));
  const clippedRatio = Math.max(1 - clipLow, Math.min(1 + clipHigh, ratio));
  let objective = ratio * advantage;
  let isClipped = false;
  if (clippedRatio * advantage < objective) {
    objective = clippedRatio * advantage;
    isClipped = true;
  }
  if (dualClip !== 0 && advantage < 0 && objective < dualClip * advantage) {
    objective = dualClip * advantage;
    isClipped = true;
  }
  const isFlat = isClipped || Math.abs(logRatio) > LOG_RATIO_LIMIT;
  return {
    loss: -objective,
    slope: isFlat ? 0 : -ratio * advantage,
    isClipped,
  };
}

function checkShapes(
  logprobs: readonly ArrayLike<number>[],
  others: Record<string, readonly (ArrayLike<number> | undefined)[] | null | undefined>,
): void {
  for (const [name, rows] of Object.entries(others)) {
    if (!rows) continue;
    if (rows.length !== logprobs.length) {
      throw new MarbleError(
        'rl/bad-loss-input',
        `There are ${logprobs.length} rows of logprobs but ${rows.length} of ${name}.`,
        `Pass one row of ${name} per sequence.`,
      );
    }
    const wrong = rows.findIndex((row, i) => row !== undefined && row.length !== logprobs[i].length);
    if (wrong >= 0) {
      throw new MarbleError(
        'rl/bad-loss-input',
        `Row ${wrong} has ${logprobs[wrong].length} logprobs but ${rows[wrong]?.length ?? 0} values in ${name}.`,
        `Pass one value of ${name} per response token.`,
      );
    }
  }
}
