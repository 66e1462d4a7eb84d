/** The reward of one completion: read it, hold its trace against the world, add up the preset's parts. */
import type { Item } from '../tom/item';
import { normalizeAnswer, readCompletion } from './completion';
import { presets } from './presets';
import { checkTrace } from './trace';
import type { RewardConfig, RewardParts } from './types';

/** @param completion what follows the given `<think>`, without the end token */
export function score(completion: string, item: Item, config: RewardConfig): RewardParts {
  const read = readCompletion(completion);
  const trace = checkTrace(read.think, item);
  const gold = normalizeAnswer(item.answer);
  const correct = read.answer !== null && gold !== '' && normalizeAnswer(read.answer) === gold;
  const parts = presets[config.preset]({ ...read, gold: item.answer, correct, trace });
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
