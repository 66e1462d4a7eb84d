/** The reward of one completion: read it, hold its trace against the world, add up the preset's parts. */
import type { Item } from '../tom/item';
import { checkKeys } from '../base/known-keys';
import { itemWorld } from '../tom/worlds/item-world';
import { readCompletion } from './completion';
import { checkEnglishTrace } from './english-trace';
import { isRight } from './official';
import { presets } from './presets';
import { checkSwapTrace } from './swap-trace';
import type { RewardConfig, RewardParts, RewardPart, TraceCheck } from './types';

/** @param completion what follows the given `<think>`, without the end token */
export function score(completion: string, item: Item, config: RewardConfig): RewardParts {
  checkKeys('The reward', config, {
    preset: true,
    custom: true,
    minimumThinkWords: true,
    targetThinkWords: true,
  });
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

/** The statements of a trace with their verdicts; null where no simulated world stands behind the item. */
export function checkTrace(think: string, item: Item): TraceCheck | null {
  const behind = itemWorld(item);
  if (behind === null) return null;
  return behind.kind === 'swap'
    ? checkSwapTrace(think, behind.world)
    : checkEnglishTrace(think, behind.world);
}

/**
 * Terms on the length of the reasoning in words, added to any preset: up to -1 for less than the minimum, and up to -1 for
 * being off the target. Terms on the length in tokens are the trainer's (`overlongBuffer`, `lengthPenalty`).
 */
function thinkLengthParts(think: string, config: RewardConfig): RewardPart[] {
  const words = think.split(/\s+/).filter((word) => word !== '').length;
  const { minimumThinkWords = 0, targetThinkWords = 0 } = config;
  const parts: RewardPart[] = [];
  if (minimumThinkWords > 0) {
    const missing = Math.max(0, minimumThinkWords - words);
    parts.push({
      name: 'minimum think',
      value: 0 - missing / minimumThinkWords,
      reason: `${words} words, at least ${minimumThinkWords} asked`,
    });
  }
  if (targetThinkWords > 0) {
    const off = Math.min(1, Math.abs(words - targetThinkWords) / targetThinkWords);
    parts.push({
      name: 'target think',
      value: 0 - off,
      reason: `${words} words, about ${targetThinkWords} asked`,
    });
  }
  return parts;
}
