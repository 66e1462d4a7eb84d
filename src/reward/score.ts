/** The reward of one completion: read it, hold its trace against the world, add up the preset's parts. */
import type { Item } from '../tom/item';
import { readCompletion } from './completion';
import { isRight } from './official';
import { presets } from './presets';
import { thinkLengthParts } from './think-length';
import { checkTrace } from './trace';
import type { RewardConfig, RewardParts } from './types';

/** @param completion what follows the given `<think>`, without the end token */
export function score(completion: string, item: Item, config: RewardConfig): RewardParts {
  const read = readCompletion(completion);
  const trace = checkTrace(read.think, item);
  const correct = isRight(read.answer, item);
  const evidence = { ...read, gold: item.answer, correct, trace };
  const parts = [...presets[config.preset](evidence), ...thinkLengthParts(read.think, config)];
  return {
    total: parts.reduce((sum, { value }) => sum + value, 0),
    parts,
    correct,
    formatHolds: read.formatHolds,
    answer: read.answer,
    think: read.think,
    trace,
  };
}
