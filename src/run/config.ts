/**
 * The run configuration: everything that decides what a run does, as plain data. The link, the form on the page, the
 * trainer and the run record all hold this one record; `src/share/schema.ts` is its bounds-checked twin for text from outside.
 */
import type { DataSpec } from '../tom/item';
import type { RewardConfig } from '../reward/types';

export type AlgorithmName = 'reinforce++' | 'reinforce++-baseline' | 'grpo' | 'dr-grpo' | 'dapo' | 'rloo';

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
  credit?: 'token' | 'response';
  /** Moves the reference to the policy after every so many steps (TRL's `ref_model_sync_steps`). Left out: 0, never. */
  resetEvery?: number;
  /** How far (TRL's `ref_model_mixup_alpha`); under 1 not with LoRA. Left out: 1, all the way. */
  resetMix?: number;
  /** Forgets the optimiser's moments with it, as ProRL does (arXiv 2505.24864). Left out: false. */
  resetOptimizer?: boolean;
}

/**
 * One objective; the six names are settings of it (`algorithm.ts`). A setting that may be left out changes nothing then,
 * so that configurations of before still mean what they meant.
 */
export interface AlgorithmConfig {
  name: AlgorithmName;
  /** Discount of the token-level return; 1 in the paper. */
  gamma: number;
  kl: KlConfig;
  clipLow: number;
  clipHigh: number;
  /** Dual clip: where the advantage is negative the loss is at most this times its size; 0 is the convention's own: off, verl's 3. */
  dualClip: number;
  entropyCoefficient: number;
  /**
   * nats: the entropy that the coefficient is steered to, from where it stands above (TRL's `use_adaptive_entropy`). Left
   * out: 0, which keeps it fixed.
   */
  entropyTarget?: number;
  /** What the coefficient moves by in every update, between 0 and 1; left out: 0.005, as in TRL. */
  entropyStep?: number;
  /** OpenRLHF divides by the population standard deviation, verl by Bessel's. */
  convention: 'openrlhf' | 'verl';
  /** `constant-length` divides the sum by sequences x the most tokens a response may have (Dr.GRPO). */
  aggregation: 'token-mean' | 'sequence-mean' | 'sequence-sum' | 'constant-length';
  /**
   * What the advantage is divided by: the deviation over all response tokens of the batch, within its group, of all
   * rewards of the batch (TRL's `scale_rewards="batch"`, PPO Lite, arXiv 2508.08221), or nothing. Left out: the name's own.
   */
  scale?: 'all-tokens' | 'group' | 'batch' | 'none';
  /**
   * Importance ratio of each token, of the whole response (RLOO), or its geometric mean over the response's tokens (GSPO,
   * arXiv 2507.18071, whose clip range is 3e-4 down and 4e-4 up). Those of a response are averaged over responses.
   */
  ratio: 'token' | 'sequence' | 'sequence-mean';
  /**
   * What holds the policy near the one that drew the samples, where the ratio leaves 1: PPO's `clip`; `cispo`, which clips
   * the ratio as a weight and cuts no token's gradient (MiniMax-M1, arXiv 2506.13585); `sapo`, a smooth gate (arXiv
   * 2511.20347); `clip-cov`, the clip, and a few tokens of high covariance between advantage and log-probability without
   * their gradient, or `kl-cov`, no clip but a penalty on those of the highest (arXiv 2505.22617). Left out: `clip`.
   */
  surrogate?: 'clip' | 'cispo' | 'sapo' | 'clip-cov' | 'kl-cov';
  /** SAPO's temperature where the advantage is positive; left out: 1. */
  sapoPositive?: number;
  /** The same where it is not, which a higher one cuts off sooner; left out: 1.05. */
  sapoNegative?: number;
  /** Fraction of the response tokens that Clip-Cov or KL-Cov takes, at least one; left out: 0.0002, as in verl. */
  covarianceFraction?: number;
  /** Clip-Cov draws its tokens among those of a covariance between these two; left out: 1 and 5, as in verl. */
  covarianceLow?: number;
  covarianceHigh?: number;
  /** KL-Cov's coefficient of |lpNew - lpOld|; left out: 0.1, as in verl's settings. */
  covarianceKl?: number;
  /**
   * Only this fraction of the tokens, those of the highest entropy, keeps its part of the policy loss and the entropy bonus
   * (arXiv 2506.01939, TRL's `top_entropy_quantile`). Left out: 1, all.
   */
  topEntropyFraction?: number;
  /** DAPO: a response in the last `overlongBuffer` tokens of its limit loses up to 1 of its reward; 0 is off. */
  overlongBuffer: number;
  /** Subtracted from the reward per fraction of the token limit used: 0.5 costs a cut-off response 0.5. */
  lengthPenalty: number;
  /**
   * `right` takes it from right answers alone, so that what is wrong is not rewarded for being short (Arora and Zanette,
   * arXiv 2502.04463, with a linear term in place of their sigmoid). Left out: `all`.
   */
  lengthPenaltyOn?: 'all' | 'right';
  /** Subtracted from the reward of a response that was cut off (`missing_eos_penalty` in TRL's PPO). Left out: 0. */
  truncationPenalty?: number;
  /** Leaves responses that were cut off out of the loss. */
  maskTruncated: boolean;
  /** DAPO: how many times prompts whose samples all earned the same, length aside, are replaced by new ones; 0 is off. */
  resampleRounds: number;
}

/** The models that ship with the page, in `public/models`. */
export const embeddedModels = ['swap-25k', 'micro', 'nano', 'nano-order-1'] as const;

export type EmbeddedModel = (typeof embeddedModels)[number];

export type ModelChoice =
  | { kind: 'embedded'; name: EmbeddedModel }
  | { kind: 'hub'; repository: string; revision: string }
  | { kind: 'url'; url: string }
  /** The visitor's own files, by the name of their folder or of their weights; the page asks for them anew. */
  | { kind: 'files'; name: string };

export type TrainingMode =
  | { mode: 'full' }
  | {
      mode: 'lora';
      rank: number;
      alpha: number;
      /** A saved adapter to start from: `hub:owner/name@commit`, an address, or `files:name`; absent for a fresh one. */
      adapter?: string;
    };

export interface OptimizerConfig {
  learningRate: number;
  /** Learning rate at the last step as a fraction of the peak; 1 is constant. */
  finalFraction: number;
  decay: 'linear' | 'cosine';
  warmupSteps: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  maxGradNorm: number;
  /** Times each batch of rollouts is gone over; with more than 1 the ratio and its clip begin to matter. */
  passes: number;
  /** Updates per pass, each on its own share of the rollouts. */
  miniBatches: number;
  /** Sequences run at once, their gradients accumulated to one update; 0 runs all of an update together. */
  microBatch: number;
}

export interface RolloutConfig {
  promptsPerStep: number;
  samplesPerPrompt: number;
  temperature: number;
  maxNewTokens: number;
}

/** What a run trains on: which items, and how many different ones. */
export interface TrainingData extends DataSpec {
  /**
   * Items of a fixed training set, shuffled anew each epoch. Left out or 0: generated items without end, and all that
   * an imported data set has.
   */
  trainItems?: number;
}

export interface EvaluationConfig {
  every: number;
  /** Items of the training orders at the looks in between; a quarter as many again of each held-out set. */
  items: number;
  /** The same at step 0 and at the last step, by which the run is judged: these and more; as many where left out. */
  finalItems?: number;
  seed: number;
  /** Items of each task of the held-out evaluation (Hi-ToM, ToMi, ExploreToM), for models that read English; none where left out. */
  taskItems?: number;
  /** Imported data sets to answer besides, by their ids. */
  imported?: string[];
  /** Items at most of each data set among the imported ones, drawn where it has more; as many as `items` where left out. */
  importedItems?: number;
  /**
   * Items of a set of their own by whose accuracy `patience` and the best checkpoint go, so that what is reported chose
   * nothing; left out or 0: they go by the evaluation set itself.
   */
  validationItems?: number;
  /** Ends the run after this many evaluations in a row without a new best accuracy; 0 never does. */
  patience: number;
}

export interface RunConfig {
  /** The preset this configuration started from. */
  preset: string;
  /** One unsigned 32-bit integer fixes data order, prompts and every draw. */
  seed: number;
  /** `rl`, or a supervised control arm on gold completions: answers alone, or whole traces. */
  method: 'rl' | 'sft-answers' | 'sft-traces';
  model: ModelChoice;
  training: TrainingMode;
  data: TrainingData;
  reward: RewardConfig;
  algorithm: AlgorithmConfig;
  rollout: RolloutConfig;
  optimizer: OptimizerConfig;
  steps: number;
  /** A fixed greedy evaluation set, evaluated at step 0, every `every` steps and at the end. */
  evaluation: EvaluationConfig;
  checkpointEvery: number;
}
