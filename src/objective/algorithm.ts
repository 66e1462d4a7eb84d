/**
 * Six names, one objective. An algorithm is a choice of baseline, of scale, of where the divergence from the
 * reference stands and of how token losses are averaged; `advantages.ts` and `loss.ts` read only these settings.
 *
 *   name                 baseline        scale            divergence        average of token losses
 *   reinforce++          none            all tokens       k1 by token       token-mean
 *   reinforce++-baseline group mean      all tokens       k2 in the loss    token-mean
 *   grpo                 group mean      group            k3 in the loss    mean of sequence means
 *   dr-grpo              group mean      none             none              sum / (sequences x limit)
 *   dapo                 group mean      group            none              token-mean, clip .2/.28
 *   rloo                 others' mean    none             k1 by response    one ratio per sequence
 *
 * "By token" and "by response" are k1 in the reward: left at each token, or summed into the outcome (`kl.credit`).
 *
 * Sources: REINFORCE++ (arXiv 2501.03262) as OpenRLHF implements it, its baseline variant with the divergence of
 * OpenRLHF's script `train_reinforce_baseline_hybrid_engine.sh`; GRPO (2402.03300); Dr.GRPO (2503.20783);
 * DAPO (2503.14476); RLOO (2402.14740). Left out: GAE and PPO's critic, which double the memory and which none of
 * these needs; GRPO's process supervision, for which there are no step rewards here.
 */
import { checkKeys } from '../base/known-keys';
export const algorithmNames = {
  'reinforce++': 'REINFORCE++',
  'reinforce++-baseline': 'REINFORCE++ with baseline',
  grpo: 'GRPO',
  'dr-grpo': 'Dr. GRPO',
  dapo: 'DAPO',
  rloo: 'RLOO',
};

export type AlgorithmName = keyof typeof algorithmNames;

/** Where the divergence from the reference policy enters, and how it is estimated. */
export interface KlConfig {
  place: 'reward' | 'loss' | 'none';
  coefficient: number;
  estimator: 'k1' | 'k2' | 'k3';
  /** The divergence that an adaptive coefficient steers to (Ziegler et al. 2019); 0 keeps the coefficient fixed. */
  target: number;
  /** Rollouts over which the adaptive coefficient moves by its full step. */
  horizon: number;
  /**
   * Where it stands in the reward: `token` takes each token's from the return at that token (the reinforce++ family, and
   * OpenRLHF's RLOO), `response` the sum from the outcome before the baseline (TRL's RLOO). Left out: as the name has it.
   */
  credit?: 'token' | 'response' | undefined;
}

/** The algorithm of a run configuration; `run/config/config.ts` has the range of each setting. */
export interface AlgorithmConfig {
  name: AlgorithmName;
  /** Discount of the token-level return; 1 in the paper. */
  gamma: number;
  kl: KlConfig;
  clipLow: number;
  clipHigh: number;
  /**
   * Dual clip: where the advantage is negative the loss is at most this times its size; 0 is the convention's own: off,
   * verl's 3. Below 1 it would cut where the ratio has not moved.
   */
  dualClip: number;
  entropyCoefficient: number;
  /** OpenRLHF divides by the population standard deviation, verl by Bessel's. */
  convention: 'openrlhf' | 'verl';
  /** `constant-length` divides the sum by sequences x the most tokens a response may have (Dr.GRPO). */
  aggregation: 'token-mean' | 'sequence-mean' | 'sequence-sum' | 'constant-length';
  /**
   * What the advantage is divided by: the deviation over all response tokens of the batch, within its group, of all
   * rewards of the batch (TRL's `scale_rewards="batch"`, PPO Lite, arXiv 2508.08221), or nothing. Left out: the name's own.
   */
  scale?: 'all-tokens' | 'group' | 'batch' | 'none' | undefined;
  /** Importance ratio of each token, or of the whole response (RLOO). */
  ratio: 'token' | 'sequence';
  /** DAPO: a response in the last `overlongBuffer` tokens of its limit loses up to 1 of its reward; 0 is off. */
  overlongBuffer: number;
  /** Subtracted from the reward per fraction of the token limit used: 0.5 costs a cut-off response 0.5. */
  lengthPenalty: number;
  /** Leaves responses that were cut off out of the loss. */
  maskTruncated: boolean;
  /** DAPO: how many times prompts whose samples all earned the same, length aside, are replaced by new ones; 0 is off. */
  resampleRounds: number;
}

/** What the pure functions take: a name, and whatever should differ from that name's settings. */
export type AlgorithmSettings = Pick<AlgorithmConfig, 'name'> &
  Partial<Omit<AlgorithmConfig, 'name' | 'kl'>> & {
    kl?: Partial<KlConfig>;
    /** Most tokens a response may have, for `constant-length`; the longest of the batch where it is not given. */
    maxLength?: number;
  };

/** Every setting with its value, those left out included. */
export type ResolvedAlgorithm = Required<Omit<AlgorithmConfig, 'kl'>> & {
  kl: Required<KlConfig>;
  baseline: Estimator['baseline'];
};

interface Estimator {
  /** Taken from the outcome before anything else. */
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

/** Each name's own settings, as its paper has them: what a run configuration starts from. */
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

/** verl never goes without a dual clip: `clip_ratio_c` must be above 1, and is this where nothing else is set. */
const VERL_DUAL_CLIP = 3;

/**
 * Fills what a caller left open with the name's own settings. The divergence alone is off unless the caller says where it
 * stands, because it needs reference log-probabilities: `{ name }` has none, `algorithms[name]` has the paper's. Its
 * estimator is the name's own where it stands in its place, else k3 in the loss and k1 in the reward. verl's convention
 * brings its dual clip.
 */
export function resolveAlgorithm(settings: AlgorithmSettings): ResolvedAlgorithm {
  checkKeys('An algorithm', settings, { ...common, name: true, scale: true, maxLength: true });
  checkKeys('kl of an algorithm', settings.kl ?? {}, { ...common.kl, credit: true });
  const { kl, ...given } = settings;
  const { name } = given;
  const resolved = { ...algorithms[name], ...estimators[name], ...given };
  // verl's baseline variant takes the outcome only: its divergence is part of the score, not of the token's return.
  const isVerlBaseline = name === 'reinforce++-baseline' && resolved.convention === 'verl';
  const byToken = estimators[name].scale === 'all-tokens' && !isVerlBaseline;
  return {
    ...resolved,
    dualClip: resolved.dualClip === 0 && resolved.convention === 'verl' ? VERL_DUAL_CLIP : resolved.dualClip,
    kl: {
      ...common.kl,
      estimator: estimatorAt(kl?.place, algorithms[name].kl),
      credit: byToken ? 'token' : 'response',
      ...kl,
    },
  };
}

function estimatorAt(place: KlConfig['place'] | undefined, own: KlConfig): KlConfig['estimator'] {
  if (place === own.place) return own.estimator;
  return place === 'loss' ? 'k3' : 'k1';
}

/** Whether a step asks the frozen policy for log-probabilities. */
export function usesReference({ kl }: Pick<AlgorithmConfig, 'kl'>): boolean {
  return kl.place !== 'none' && kl.coefficient > 0;
}
