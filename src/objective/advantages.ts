/**
 * Advantages of the response tokens, from one reward per response.
 *
 *   S_i  = R_i - baseline of the group, if any; clamped to [-10, 10] (reinforce++ family)
 *   r_it = -beta * KL_it if the KL is in the reward, else 0; S_i is added at the last token
 *   G_it = r_it + gamma * G_i,t+1                (gamma is 1 with a baseline)
 *   A    = (G - mean) / sqrt(max(var, 1e-8))      over all response tokens of the batch (reinforce++ family)
 *   A    = S or S / (std of the group + 1e-6)     equal for every token of a response (the others)
 *   A    = S / (std of all rewards of the batch + 1e-4)      `scale: 'batch'`, as in TRL
 *
 * The KL of masked tokens is set to 0 before the returns accumulate. Otherwise it would leak into earlier tokens.
 * The other algorithms, and verl's baseline variant, add the KL to the outcome: S_i = R_i + sum_t r_it (`kl.credit`).
 * verl divides by sqrt(var + 1e-8) with Bessel's correction. If all values are equal the advantages are exactly 0.
 *
 * Sources: `algorithm.ts`. Left out: a learnt value function, and the running reward scale of older PPO implementations.
 */
import { MarbleError } from '../base/error';
import { resolveAlgorithm, type AlgorithmSettings, type ResolvedAlgorithm } from './algorithm';
import { estimateKl } from './kl';
import { deviation, mean } from '../base/statistics';

export interface AdvantageInput {
  reward: number;
  /** Rollouts with the same number answer the same prompt. */
  group: number;
  /** Log-probabilities of the response tokens under the policy that sampled them, nats. */
  logprobs: ArrayLike<number>;
  /** Log-probabilities under the reference policy; required if `kl.place` is `reward`. */
  refLogprobs?: ArrayLike<number>;
  /** Per response token: 0 excludes it from training. Omitted: all tokens count. */
  mask?: ArrayLike<number>;
}

const OUTCOME_LIMIT = 10;
const LEAST_VARIANCE = 1e-8;
const GROUP_EPSILON = 1e-6;
const BATCH_EPSILON = 1e-4;

/**
 * Computes one advantage per response token; 0 at masked tokens.
 *
 * @param rollouts the whole batch, since the reinforce++ family normalises over all of its tokens
 * @returns one array per rollout, of the length of its `logprobs`
 * @throws MarbleError `rl/bad-rollout` for a reward that is not finite or arrays of different lengths,
 *   `rl/no-reference` if the KL in the reward lacks `refLogprobs`
 */
export function computeAdvantages(
  rollouts: readonly AdvantageInput[],
  algorithm: AlgorithmSettings,
): Float64Array[] {
  const settings = resolveAlgorithm(algorithm);
  rollouts.forEach((rollout, index) => check(rollout, index, settings));
  const isByToken = settings.kl.credit === 'token';
  const divergence = rollouts.map((rollout) => divergenceRewards(rollout, settings));
  const outcomes = rollouts.map((rollout, i) =>
    isByToken ? rollout.reward : rollout.reward + divergence[i].reduce((sum, value) => sum + value, 0),
  );
  const centred = subtractBaseline(outcomes, rollouts, settings.baseline);
  const limited = scaleOutcomes(centred, outcomes, rollouts, settings);
  const returns = rollouts.map((rollout, i) =>
    isByToken
      ? discountedReturn(rollout, divergence[i], limited[i], settings)
      : constant(rollout, limited[i]),
  );
  return settings.scale === 'all-tokens' ? whiten(returns, rollouts, settings) : returns;
}

function isOn(rollout: AdvantageInput, token: number): boolean {
  return rollout.mask === undefined || rollout.mask[token] !== 0;
}

function constant(rollout: AdvantageInput, value: number): Float64Array {
  return Float64Array.from(rollout.logprobs, (_, token) => (isOn(rollout, token) ? value : 0));
}

/** r_it without the outcome. */
function divergenceRewards(rollout: AdvantageInput, { kl }: ResolvedAlgorithm): Float64Array {
  const { logprobs, refLogprobs } = rollout;
  const rewards = new Float64Array(logprobs.length);
  if (kl.place !== 'reward' || refLogprobs === undefined) {
    return rewards;
  }
  return rewards.map((_, token) =>
    isOn(rollout, token)
      ? -kl.coefficient * estimateKl(kl.estimator, logprobs[token] - refLogprobs[token])
      : 0,
  );
}

/** Subtracts the baseline of its group from every outcome. */
export function subtractBaseline(
  outcomes: readonly number[],
  rollouts: readonly Pick<AdvantageInput, 'group'>[],
  baseline: ResolvedAlgorithm['baseline'],
): number[] {
  if (baseline === 'none') {
    return [...outcomes];
  }
  const groups = groupValues(outcomes, rollouts);
  return outcomes.map((outcome, i) => {
    const group = groups.get(rollouts[i].group) ?? [];
    if (areEqual(group)) {
      return 0; // exactly: a later division would amplify a rounding error
    }
    const centred = outcome - mean(group);
    return baseline === 'others-mean' ? (centred * group.length) / (group.length - 1) : centred;
  });
}

/** Scales or clamps the outcomes before the returns. `all-tokens` only clamps here and normalises the returns afterwards. */
function scaleOutcomes(
  centred: readonly number[],
  outcomes: readonly number[],
  rollouts: readonly AdvantageInput[],
  { scale }: ResolvedAlgorithm,
): readonly number[] {
  switch (scale) {
    case 'none':
      return centred;
    case 'group':
      return divideByGroupDeviation(centred, outcomes, rollouts);
    case 'batch': {
      if (areEqual(outcomes)) return centred.map(() => 0); // their deviation may be a rounding error
      const whole = deviation(outcomes);
      return centred.map((value) => value / (whole + BATCH_EPSILON));
    }
    case 'all-tokens':
      return centred.map(clamped);
  }
}

const clamped = (outcome: number): number => Math.max(-OUTCOME_LIMIT, Math.min(OUTCOME_LIMIT, outcome));

/** A reward as `reinforce++` counts it: clamped. Algorithms with a baseline or another scale count it in full. */
export function countedReward(reward: number, { scale, baseline }: ResolvedAlgorithm): number {
  return scale === 'all-tokens' && baseline === 'none' ? clamped(reward) : reward;
}

function divideByGroupDeviation(
  centred: readonly number[],
  outcomes: readonly number[],
  rollouts: readonly AdvantageInput[],
): number[] {
  const groups = groupValues(subtractBaseline(outcomes, rollouts, 'group-mean'), rollouts);
  return centred.map((value, i) => {
    const group = groups.get(rollouts[i].group) ?? [];
    const sumOfSquares = group.reduce((sum, other) => sum + other * other, 0);
    if (sumOfSquares === 0) return 0;
    return value / (Math.sqrt(sumOfSquares / Math.max(1, group.length - 1)) + GROUP_EPSILON);
  });
}

function discountedReturn(
  rollout: AdvantageInput,
  rewards: Float64Array,
  outcome: number,
  settings: ResolvedAlgorithm,
): Float64Array {
  const gamma = settings.baseline === 'none' ? settings.gamma : 1;
  const returns = new Float64Array(rewards.length);
  let accumulated = 0;
  let outcomePaid = false;
  for (let token = rewards.length - 1; token >= 0; token--) {
    accumulated = rewards[token] + gamma * accumulated;
    if (!outcomePaid && isOn(rollout, token)) {
      accumulated += outcome;
      outcomePaid = true;
    }
    returns[token] = accumulated;
  }
  return returns;
}

function whiten(
  returns: readonly Float64Array[],
  rollouts: readonly AdvantageInput[],
  { convention }: ResolvedAlgorithm,
): Float64Array[] {
  const values = returns.flatMap((row, i) => [...row].filter((_, token) => isOn(rollouts[i], token)));
  if (areEqual(values)) {
    return returns.map((row) => new Float64Array(row.length));
  }
  const centre = mean(values);
  const sumOfSquares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const deviation =
    convention === 'verl'
      ? Math.sqrt(sumOfSquares / (values.length - 1) + LEAST_VARIANCE)
      : Math.sqrt(Math.max(sumOfSquares / values.length, LEAST_VARIANCE));
  return returns.map((row, i) =>
    row.map((value, token) => (isOn(rollouts[i], token) ? (value - centre) / deviation : 0)),
  );
}

function groupValues(
  values: readonly number[],
  rollouts: readonly Pick<AdvantageInput, 'group'>[],
): Map<number, number[]> {
  const groups = new Map(rollouts.map(({ group }): [number, number[]] => [group, []]));
  values.forEach((value, i) => groups.get(rollouts[i].group)!.push(value));
  return groups;
}

/** True if all values are equal; also true for one value and for none. */
function areEqual(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

function check(rollout: AdvantageInput, index: number, { kl }: ResolvedAlgorithm): void {
  const { reward, logprobs, refLogprobs, mask } = rollout;
  if (!Number.isFinite(reward)) {
    throw new MarbleError(
      'rl/bad-rollout',
      `The reward of rollout ${index} is ${reward}.`,
      'Rewards must be finite numbers: check the reward function.',
    );
  }
  for (const [name, values] of [
    ['refLogprobs', refLogprobs],
    ['mask', mask],
  ] as const) {
    if (values !== undefined && values.length !== logprobs.length) {
      throw new MarbleError(
        'rl/bad-rollout',
        `Rollout ${index} has ${logprobs.length} logprobs but ${values.length} values in ${name}.`,
        `Pass one value of ${name} per response token.`,
      );
    }
  }
  if (kl.place === 'reward' && kl.coefficient !== 0 && refLogprobs === undefined) {
    throw new MarbleError(
      'rl/no-reference',
      `The reward contains the KL with coefficient ${kl.coefficient}, but rollout ${index} has no refLogprobs.`,
      'Pass refLogprobs, or set kl.place to "none".',
    );
  }
}
