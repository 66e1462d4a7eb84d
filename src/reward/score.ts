/** The reward of one completion: parses it, checks its trace against the world and sums the preset's parts. */
import type { Item } from '../tom/item';
import { checkKeys } from '../base/known-keys';
import { normalizeAnswer, numbersIn } from '../tom/text/answers';
import { givenOf } from '../tom/text/prompts';
import { itemWorld } from '../tom/worlds/item-world';
import { readCompletion } from './completion';
import { checkEnglishTrace } from './english-trace';
import { presets } from './reward-presets';
import { checkSwapTrace } from './swap-trace';
import type { RewardConfig, RewardParts, RewardPart, TraceCheck } from './types';

/**
 * Scores a completion by the rules of a reward preset.
 *
 * @param completion text after the prompt, without the end token; the prompt ends in `<think>` except for a baseline
 * @returns the total, which is the sum of the parts, with the readings from which they follow
 */
export function score(completion: string, item: Item, config: RewardConfig): RewardParts {
  checkKeys('The reward', config, {
    preset: true,
    custom: true,
    minimumThinkWords: true,
    targetThinkWords: true,
  });
  const read = readCompletion(givenOf(item) + completion);
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

/** Checks the statements of a trace; null if the item has no simulated world. */
export function checkTrace(think: string, item: Item): TraceCheck | null {
  const simulated = itemWorld(item);
  if (simulated === null) return null;
  return simulated.kind === 'swap'
    ? checkSwapTrace(think, simulated.world)
    : checkEnglishTrace(think, simulated.world);
}

/**
 * Penalties on the length of the reasoning in words, added to any preset: up to 1 for fewer words than the minimum, and up
 * to 1 for the distance from the target. The trainer adds penalties on the length in tokens (`overlongBuffer`,
 * `lengthPenalty`).
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
      reason: `${words} words; the minimum is ${minimumThinkWords}`,
    });
  }
  if (targetThinkWords > 0) {
    const off = Math.min(1, Math.abs(words - targetThinkWords) / targetThinkWords);
    parts.push({
      name: 'target think',
      value: 0 - off,
      reason: `${words} words; the target is ${targetThinkWords}`,
    });
  }
  return parts;
}

/**
 * Judges an answer by the item's scoring rule, that of its data set's official evaluation: FANToM's lists and yes/no questions
 * (Kim et al. 2023), GSM8K's last number. Without a rule it must equal the gold answer after normalising.
 */
export function isRight(answer: string | null, item: Item): boolean {
  if (answer === null) return false;
  const { scoring } = item;
  if (scoring === undefined)
    return normalizeAnswer(item.answer) !== '' && normalizeAnswer(answer) === normalizeAnswer(item.answer);
  switch (scoring.rule) {
    case 'names':
      return namesRight(answer, scoring.right, scoring.wrong);
    case 'binary':
      return readBinary(answer) === item.answer;
    case 'number': {
      const number = numbersIn(answer).at(-1);
      return number !== undefined && number === numbersIn(item.answer).at(-1);
    }
  }
}

/** FANToM's list rule: the answer is not empty and contains every right name and no wrong name. */
export function namesRight(answer: string, right: readonly string[], wrong: readonly string[]): boolean {
  const text = answer.toLowerCase();
  const occurs = (name: string): boolean => text.includes(name.toLowerCase());
  return text.trim() !== '' && right.every(occurs) && !wrong.some(occurs);
}

/** FANToM's binary rule: reads yes or no, true or false, knows or does not know. Null for neither and for both. */
export function readBinary(answer: string): 'yes' | 'no' | null {
  const text = ` ${answer
    .toLowerCase()
    .replace(/[^a-z' ]/g, ' ')
    .replace(/\s+/g, ' ')} `;
  const no = / no | does not know | doesn't know | false /.test(text);
  const yes = / yes | true /.test(text) || (!no && / knows /.test(text));
  return yes === no ? null : yes ? 'yes' : 'no';
}
