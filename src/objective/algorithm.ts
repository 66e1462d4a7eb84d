/**
 * Six algorithms as settings of one objective. An algorithm chooses a baseline, a scale, a place for the KL divergence from
 * the reference and an average of the token losses. `advantages.ts` and `loss.ts` read only these settings.
 *
 *   name                 baseline        scale            divergence        average of token losses
 *   reinforce++          none            all tokens       k1 by token       token-mean
 *   reinforce++-baseline group mean      all tokens       k2 in the loss    token-mean
 *   grpo                 group mean      group            k3 in the loss    mean of sequence means
 *   dr-grpo              group mean      none             none              sum / (sequences x limit)
 *   dapo                 group mean      group            none              token-mean, clip .2/.28
 *   rloo                 others' mean    none             k1 by response    one ratio per sequence
 *
 * "By token" and "by response" mean k1 in the reward: credited to each token, or summed into the outcome (`kl.credit`).
 *
 * Sources: REINFORCE++ (arXiv 2501.03262) as OpenRLHF implements it, its baseline variant with the divergence of
 * OpenRLHF's script `train_reinforce_baseline_hybrid_engine.sh`; GRPO (2402.03300); Dr.GRPO (2503.20783);
 * DAPO (2503.14476); RLOO (2402.14740). Left out: GAE and PPO's critic, which double the memory and which none of these
 * algorithms needs; GRPO's process supervision, since rewards are per response.
 */
import { checkKeys } from '../base/known-keys';
export const algorithmNames = {
  'reinforce++': 'REINFORCE++',
  'reinforce++-baseline': 'REINFORCE++, baseline',
  grpo: 'GRPO',
  'dr-grpo': 'Dr. GRPO',
  dapo: 'DAPO',
  rloo: 'RLOO',
};

export type AlgorithmName = keyof typeof algorithmNames;

/** KL divergence from the reference policy: its place in the objective and its estimator. */
export interface KlConfig {
  place: 'reward' | 'loss' | 'none';
  coefficient: number;
  estimator: 'k1' | 'k2' | 'k3';
  /** Target divergence of the adaptive coefficient (Ziegler et al. 2019); 0 keeps the coefficient fixed. */
  target: number;
  /** Rollouts over which the adaptive coefficient changes by at most 20 %. */
  horizon: number;
  /**
   * Credit of the KL in the reward. `token` subtracts each token's KL from the return at that token (the reinforce++ family,
   * and OpenRLHF's RLOO); `response` subtracts the sum from the outcome before the baseline (TRL's RLOO). Omitted: the
   * algorithm's default.
   */
  credit?: 'token' | 'response' | undefined;
}

/** The algorithm of a run configuration. `run/config/config.ts` gives the range of each setting. */
export interface AlgorithmConfig {
  name: AlgorithmName;
  /** Discount of the token-level return; 1 in the paper. */
  gamma: number;
  kl: KlConfig;
  clipLow: number;
  clipHigh: number;
  /**
   * Dual clip: for a negative advantage A the loss is at most `dualClip` * |A|. 0 selects the convention's default: off for
   * OpenRLHF, 3 for verl. A value below 1 would clip even a ratio of 1.
   */
  dualClip: number;
  entropyCoefficient: number;
  /** OpenRLHF divides by the population standard deviation, verl by the sample standard deviation (Bessel's correction). */
  convention: 'openrlhf' | 'verl';
  /** `constant-length` divides the sum by sequences x the limit on response tokens (Dr.GRPO). */
  aggregation: 'token-mean' | 'sequence-mean' | 'sequence-sum' | 'constant-length';
  /**
   * Divisor of the advantage: the standard deviation over all response tokens of the batch, within the group, of all rewards
   * of the batch (TRL's `scale_rewards="batch"`, PPO Lite, arXiv 2508.08221), or none. Omitted: the algorithm's default.
   */
  scale?: 'all-tokens' | 'group' | 'batch' | 'none' | undefined;
  /** Importance ratio of each token, or of the whole response (RLOO). */
  ratio: 'token' | 'sequence';
  /** DAPO: a response that ends within the last `overlongBuffer` tokens of its limit loses up to 1 reward; 0 is off. */
  overlongBuffer: number;
  /** Reward penalty per fraction of the token limit used: 0.5 costs a truncated response 0.5. */
  lengthPenalty: number;
  /** Excludes truncated responses from the loss. */
  maskTruncated: boolean;
  /** DAPO: rounds in which prompts with equal rewards for all samples, length terms aside, are replaced; 0 is off. */
  resampleRounds: number;
}

/** Argument of the objective's functions: an algorithm's name and overrides of its settings. */
export type AlgorithmSettings = Pick<AlgorithmConfig, 'name'> &
  Partial<Omit<AlgorithmConfig, 'name' | 'kl'>> & {
    kl?: Partial<KlConfig>;
    /** Limit on response tokens, for `constant-length`. Omitted: the longest response of the batch. */
    maxLength?: number;
  };

/** Every setting with its value, defaults included. */
export type ResolvedAlgorithm = Required<Omit<AlgorithmConfig, 'kl'>> & {
  kl: Required<KlConfig>;
  baseline: Estimator['baseline'];
};

interface Estimator {
  /** Baseline subtracted from the outcome. */
  baseline: 'none' | 'group-mean' | 'others-mean';
  scale: 'all-tokens' | 'group' | 'none';
}

const estimators: Record<AlgorithmName, Estimator> = {
  'reinforce++': { baseline: 'none', scale: 'all-tokens' },
  'reinforce++-baseline': { baseline: 'group-mean', scale: 'all-tokens' },
  grpo: { baseline: 'group-mean', scale: 'group' },
  'dr-grpo': { baseline: 'group-mean', scale: 'none' },
  dapo: { baseline: 'group-mean', scale: 'group' },
  rloo: { baseline: 'others-mean', scale: 'none' },
};

const common: Omit<AlgorithmConfig, 'name'> = {
  gamma: 1,
  kl: { place: 'none', coefficient: 0, estimator: 'k1', target: 0, horizon: 10_000 },
  clipLow: 0.2,
  clipHigh: 0.2,
  dualClip: 0,
  entropyCoefficient: 0,
  convention: 'openrlhf',
  aggregation: 'token-mean',
  ratio: 'token',
  overlongBuffer: 0,
  lengthPenalty: 0,
  maskTruncated: false,
  resampleRounds: 0,
};

/** Settings of each algorithm as in its paper, the defaults of a run configuration. */
export const algorithms: Record<AlgorithmName, AlgorithmConfig> = {
  'reinforce++': {
    ...common,
    name: 'reinforce++',
    kl: { ...common.kl, place: 'reward', coefficient: 0.01, estimator: 'k1' },
  },
  'reinforce++-baseline': {
    ...common,
    name: 'reinforce++-baseline',
    kl: { ...common.kl, place: 'loss', coefficient: 1e-5, estimator: 'k2' },
  },
  grpo: {
    ...common,
    name: 'grpo',
    kl: { ...common.kl, place: 'loss', coefficient: 0.001, estimator: 'k3' },
    aggregation: 'sequence-mean',
  },
  'dr-grpo': { ...common, name: 'dr-grpo', aggregation: 'constant-length' },
  dapo: { ...common, name: 'dapo', clipHigh: 0.28, overlongBuffer: 16, resampleRounds: 3 },
  rloo: {
    ...common,
    name: 'rloo',
    kl: { ...common.kl, place: 'reward', coefficient: 0.01, estimator: 'k1' },
    ratio: 'sequence',
  },
};

/** verl's default for `clip_ratio_c`, which must be above 1: verl always applies a dual clip. */
const VERL_DUAL_CLIP = 3;

/**
 * Fills in the algorithm's default for every setting that the caller omits. The KL divergence is off unless the caller sets
 * `kl.place`, since it needs reference log-probabilities: `{ name }` has none, `algorithms[name]` has that of the paper. The
 * default estimator is that of the paper if the KL has the place of the paper; elsewhere it is k3 in the loss and k1 in the
 * reward.
 * verl's convention enables its dual clip.
 */
export function resolveAlgorithm(settings: AlgorithmSettings): ResolvedAlgorithm {
  checkKeys('An algorithm', settings, { ...common, name: true, scale: true, maxLength: true });
  checkKeys('kl of an algorithm', settings.kl ?? {}, { ...common.kl, credit: true });
  const { kl, ...given } = settings;
  const { name } = settings;
  const resolved = { ...algorithms[name], ...estimators[name], ...defined(given) };
  // verl's baseline variant adds the divergence to the outcome, not to the token's return.
  const isVerlBaseline = name === 'reinforce++-baseline' && resolved.convention === 'verl';
  const byToken = estimators[name].scale === 'all-tokens' && !isVerlBaseline;
  return {
    ...resolved,
    dualClip: resolved.dualClip === 0 && resolved.convention === 'verl' ? VERL_DUAL_CLIP : resolved.dualClip,
    kl: {
      ...common.kl,
      estimator: estimatorAt(kl?.place, algorithms[name].kl),
      credit: byToken ? 'token' : 'response',
      ...defined({ ...kl }),
    },
  };
}

/** The settings without undefined ones, which would replace defaults. */
const defined = <T extends object>(settings: T): T =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;

function estimatorAt(place: KlConfig['place'] | undefined, defaults: KlConfig): KlConfig['estimator'] {
  if (place === defaults.place) return defaults.estimator;
  return place === 'loss' ? 'k3' : 'k1';
}

/** True if a training step computes log-probabilities under the reference policy. */
export function usesReference({ kl }: Pick<AlgorithmConfig, 'kl'>): boolean {
  return kl.place !== 'none' && kl.coefficient > 0;
}
