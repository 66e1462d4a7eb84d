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
}

/** One objective; the six names are settings of it (`algorithm.ts`). */
export interface AlgorithmConfig {
  name: AlgorithmName;
  /** Discount of the token-level return; 1 in the paper. */
  gamma: number;
  kl: KlConfig;
  clipLow: number;
  clipHigh: number;
  /** Dual clip: where the advantage is negative the loss is at most this times its size; 0 is off. */
  dualClip: number;
  entropyCoefficient: number;
  /** OpenRLHF divides by the population standard deviation, verl by Bessel's. */
  convention: 'openrlhf' | 'verl';
  /** `constant-length` divides the sum by sequences x the most tokens a response may have (Dr.GRPO). */
  aggregation: 'token-mean' | 'sequence-mean' | 'sequence-sum' | 'constant-length';
  /** Importance ratio of each token, or of the whole response (RLOO; the aggregation is then the mean of sequences). */
  ratio: 'token' | 'sequence';
  /** DAPO: a response in the last `overlongBuffer` tokens of its limit loses up to 1 of its reward; 0 is off. */
  overlongBuffer: number;
  /** Subtracted from the reward per fraction of the token limit used: 0.5 costs a cut-off response 0.5. */
  lengthPenalty: number;
  /** Leaves responses that were cut off out of the loss. */
  maskTruncated: boolean;
  /** DAPO: how many times prompts whose samples all earned the same are replaced by new ones; 0 is off. */
  resampleRounds: number;
}

/** The models that ship with the page, in `public/models`. */
export const embeddedModels = ['micro', 'nano', 'nano-order-1'] as const;

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
  data: DataSpec;
  reward: RewardConfig;
  algorithm: AlgorithmConfig;
  rollout: RolloutConfig;
  optimizer: OptimizerConfig;
  steps: number;
  /** A fixed greedy evaluation set, evaluated at step 0, every `every` steps and at the end. */
  evaluation: EvaluationConfig;
  checkpointEvery: number;
}
