/** Scored completion, with helpers for batches that metrics, outcomes and the trainer share. */
import type { RewardParts } from '../../reward/types';
import type { Item } from '../../tom/item';

/** Completion with the data for training and for the page. */
export interface Sample {
  item: Item;
  /** Index of the prompt within the step. */
  group: number;
  sample: number;
  /** Token ids. */
  prompt: number[];
  /** Response token ids, including the stop token if one was sampled. */
  response: number[];
  /** Log-probabilities from the sampler, to compare with the trainer's. */
  samplerLogprobs: Float32Array;
  finished: boolean;
  completion: string;
  reward: RewardParts;
  /** Number of reasoning tokens. */
  thinkTokens: number;
}

/** Groups samples by prompt, in prompt order. */
export function byGroup(samples: readonly Sample[]): Sample[][] {
  const groups: Sample[][] = [];
  for (const sample of samples) (groups[sample.group] ??= []).push(sample);
  return groups;
}

/** True if the trace makes a statement that the simulated world can judge. */
export function hasReadStatement({ reward }: Sample): boolean {
  return reward.trace?.statements.some(({ verdict }) => verdict !== 'unread') ?? false;
}

/** Returns 1 if the simulated world refutes a statement of the trace, else 0. */
export function hasFalseStatement({ reward }: Sample): number {
  return Number(reward.trace?.statements.some(({ verdict }) => verdict === 'false') ?? false);
}
