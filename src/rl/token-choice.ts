/**
 * Tokens that a setting treats otherwise than the rest, chosen once per batch of rollouts, before its first update, from
 * what the policy that drew them says of them:
 *
 *   top entropy   only tokens with H >= the (1 - fraction) quantile of all H keep their policy term
 *                 (arXiv 2506.01939, TRL's `top_entropy_quantile`; quantiles are interpolated linearly)
 *   clip-cov      of the tokens with low < cov < high, max(1, floor(fraction * tokens)) drawn at random lose theirs
 *   kl-cov        the max(1, floor(fraction * tokens)) tokens of the largest cov are pulled back to the old policy
 *   cov           = (A - mean A) * (lp - mean lp)     over all response tokens that take part (arXiv 2505.22617, as in verl)
 *
 * TRL and verl choose anew in every micro-batch, from the present policy; with one update of one micro-batch that is the
 * same. Chosen once for all, an update does not depend on how it is split.
 */
import { createRandom } from '../random';
import { choosesTokens, resolveAlgorithm, type AlgorithmSettings } from '../run/algorithm';

/** In the shapes of the responses. */
export interface TokenChoice {
  /** 0 where the policy term of the loss is left out. */
  policy: Uint8Array[];
  /** 1 where KL-Cov's penalty is added. */
  pulled: Uint8Array[];
}

/** What is known of the response tokens before the first update of a batch. */
export interface ChoiceInput {
  /** nats */
  logprobs: readonly ArrayLike<number>[];
  /** nats; needed for the top-entropy tokens alone */
  entropies: readonly ArrayLike<number>[];
  advantages: readonly ArrayLike<number>[];
  /** 0 where a token takes no part: it is neither chosen nor counted. */
  masks: readonly (ArrayLike<number> | undefined)[];
}

interface Place {
  sequence: number;
  token: number;
}

const CHOICE_STREAM = 0x636f76;

/**
 * @param draw what Clip-Cov's draw is a function of
 * @returns null where the settings choose nothing
 */
export function chooseTokens(
  input: ChoiceInput,
  algorithm: AlgorithmSettings,
  draw: { seed: number; step: number },
): TokenChoice | null {
  const settings = resolveAlgorithm(algorithm);
  if (!choosesTokens(settings)) return null;
  const choice: TokenChoice = {
    policy: input.logprobs.map((row) => new Uint8Array(row.length).fill(1)),
    pulled: input.logprobs.map((row) => new Uint8Array(row.length)),
  };
  const places = input.logprobs.flatMap((row, sequence) =>
    Array.from(row, (_, token) => ({ sequence, token })).filter(
      ({ token }) => input.masks[sequence] === undefined || input.masks[sequence][token] !== 0,
    ),
  );
  const count = Math.max(1, Math.floor(settings.covarianceFraction * places.length));
  const leaveOut = ({ sequence, token }: Place): number => (choice.policy[sequence][token] = 0);

  if (settings.surrogate === 'clip-cov') {
    const { covarianceLow, covarianceHigh } = settings;
    const covariances = covariancesOf(places, input);
    const within = places.filter((_, i) => covariances[i] > covarianceLow && covariances[i] < covarianceHigh);
    createRandom(draw.seed, CHOICE_STREAM, draw.step).sample(within, count).forEach(leaveOut);
  }
  if (settings.surrogate === 'kl-cov') {
    const covariances = covariancesOf(places, input);
    const byCovariance = places.map((_, i) => i).sort((a, b) => covariances[b] - covariances[a]);
    for (const i of byCovariance.slice(0, count)) choice.pulled[places[i].sequence][places[i].token] = 1;
  }
  if (settings.topEntropyFraction < 1) {
    const entropyAt = ({ sequence, token }: Place): number => input.entropies[sequence][token];
    const threshold = quantile(places.map(entropyAt), 1 - settings.topEntropyFraction);
    places.filter((place) => entropyAt(place) < threshold).forEach(leaveOut);
  }
  return choice;
}

/** The part of a choice that belongs to some of the sequences. */
export function choiceOf({ policy, pulled }: TokenChoice, sequences: readonly number[]): TokenChoice {
  return { policy: sequences.map((i) => policy[i]), pulled: sequences.map((i) => pulled[i]) };
}

function covariancesOf(places: readonly Place[], { logprobs, advantages }: ChoiceInput): number[] {
  const centred = (rows: readonly ArrayLike<number>[]): number[] => {
    const values = places.map(({ sequence, token }) => rows[sequence][token]);
    const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - centre);
  };
  const byLogprob = centred(logprobs);
  return centred(advantages).map((advantage, i) => advantage * byLogprob[i]);
}

/** With linear interpolation between neighbours, as in PyTorch; -Infinity of no values. */
function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) return -Infinity;
  const sorted = [...values].sort((a, b) => a - b);
  const place = fraction * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
