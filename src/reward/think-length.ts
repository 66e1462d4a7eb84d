/**
 * Terms on the length of the reasoning in words, for arms that ask what length alone does. They add to any preset;
 * terms on the length in tokens are the trainer's (`overlongBuffer`, `lengthPenalty`).
 */
import type { RewardConfig, RewardPart } from './types';

/** Up to -1 for reasoning shorter than the minimum, and up to -1 for being off the target. */
export function thinkLengthParts(think: string, config: RewardConfig): RewardPart[] {
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
