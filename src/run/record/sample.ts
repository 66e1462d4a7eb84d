/** A completion that has been scored, and what metrics, outcomes and trainer ask of a batch of them. */
import type { RewardParts } from '../../reward/types';
import type { Item } from '../../tom/item';

/** One completion with all that training and the page need of it. */
export interface Sample {
  item: Item;
  /** Index of the prompt within the step. */
  group: number;
  sample: number;
  /** Token ids. */
  prompt: number[];
  /** Response token ids, the stop token included when one was drawn. */
  response: number[];
  /** What the sampler said of its draws, to be held against the trainer's own numbers. */
  samplerLogprobs: Float32Array;
  finished: boolean;
  completion: string;
  reward: RewardParts;
  /** Tokens of the reasoning alone. */
  thinkTokens: number;
}

/** The samples of each prompt, in the prompts' order. */
export function byGroup(samples: readonly Sample[]): Sample[][] {
  const groups: Sample[][] = [];
  for (const sample of samples) (groups[sample.group] ??= []).push(sample);
  return groups;
}

/** 1 where the trace states something that the world refutes. */
export function hasFalseStatement({ reward }: Sample): number {
  return Number(reward.trace?.statements.some(({ verdict }) => verdict === 'false') ?? false);
}
