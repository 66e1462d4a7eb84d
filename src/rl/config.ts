/**
 * The run configuration: everything that decides what a run does, as plain data. The link, the form on the page, the
 * trainer and the run record all hold this one record; `src/share/schema.ts` is its bounds-checked twin for text from outside.
 */
import type { DataSpec } from '../tom/item';
import type { RewardConfig } from '../reward/types';

export type AlgorithmName = 'reinforce++' | 'reinforce++-baseline' | 'grpo' | 'dr-grpo' | 'dapo' | 'rloo';

export interface AlgorithmConfig {
  name: AlgorithmName;
  /** Discount of the token-level return; 1 in the paper. */
  gamma: number;
  kl: { place: 'reward' | 'loss' | 'none'; coefficient: number; estimator: 'k1' | 'k2' | 'k3' };
  clipLow: number;
  clipHigh: number;
  entropyCoefficient: number;
  /** OpenRLHF divides by the population standard deviation, verl by Bessel's. */
  convention: 'openrlhf' | 'verl';
  aggregation: 'token-mean' | 'sequence-mean';
}

export type ModelChoice =
  | { kind: 'embedded'; name: 'micro' | 'nano' }
  | { kind: 'hub'; repository: string; revision: string }
  | { kind: 'url'; url: string };

export type TrainingMode = { mode: 'full' } | { mode: 'lora'; rank: number; alpha: number };

export interface OptimizerConfig {
  learningRate: number;
  /** Learning rate at the last step as a fraction of the first; linear in between. 1 is constant. */
  finalFraction: number;
  warmupSteps: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  maxGradNorm: number;
}

export interface RolloutConfig {
  promptsPerStep: number;
  samplesPerPrompt: number;
  temperature: number;
  maxNewTokens: number;
}

export interface RunConfig {
  /** The preset this configuration started from. */
  preset: string;
  /** One unsigned 32-bit integer fixes data order, prompts and every draw. */
  seed: number;
  model: ModelChoice;
  training: TrainingMode;
  data: DataSpec;
  reward: RewardConfig;
  algorithm: AlgorithmConfig;
  rollout: RolloutConfig;
  optimizer: OptimizerConfig;
  steps: number;
  /** A fixed greedy evaluation set, evaluated at step 0, every `every` steps and at the end. */
  evaluation: { every: number; items: number; seed: number };
  checkpointEvery: number;
}
