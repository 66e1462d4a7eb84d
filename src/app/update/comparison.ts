/** Words for the baseline and the scale of each algorithm, with figures of the shown step. */
import { extent } from '../../base/statistics';
import type { AlgorithmName } from '../../objective/algorithm';
import { rounded, signedNumber, withMinus } from '../ui/numbers';
import type { Stages } from './stages';
import type { StepBatch } from '../../run/recording/step-batch';

/** Scope of the mean and of the spread, for the captions of the stages. */
export const comparedWith: Record<AlgorithmName, { mean: string; spread: string }> = {
  'reinforce++': { mean: 'minus the mean of the batch', spread: 'over the spread of the batch' },
  'reinforce++-baseline': { mean: 'minus the mean of its prompt', spread: 'over the spread of the batch' },
  grpo: { mean: 'minus the mean of its prompt', spread: 'over the spread of its prompt' },
  'dr-grpo': { mean: 'minus the mean of its prompt', spread: 'divided by nothing' },
  dapo: { mean: 'minus the mean of its prompt', spread: 'over the spread of its prompt' },
  rloo: { mean: 'minus the mean of the others of its prompt', spread: 'divided by nothing' },
};

/** Number with its sign; 0 without one. */
export function advantageNumber(advantage: number): string {
  const words = signedNumber(advantage);
  return words === '+0' ? '0' : words;
}

/**
 * Explains the advantage, with the largest and the smallest of this step.
 *
 * @param advantages - without KL, which the sentence does not mention
 */
export function advantageWords(
  name: AlgorithmName,
  { rewards }: StepBatch,
  advantages: readonly number[],
): string {
  const { mean, spread } = comparedWith[name];
  const how = `An advantage is a completion’s reward ${mean}${spread.startsWith('over') ? `, ${spread}` : ''}`;
  if (rewards.length === 0) return `${how}.`;
  const [least, most] = extent(advantages).map((advantage) => {
    const reward = rewards[advantages.indexOf(advantage)];
    return `one that earned ${withMinus(reward)} has ${advantageNumber(advantage)}`;
  });
  return `${how}: here ${[...new Set([most, least])].join(', and ')}.`;
}

/**
 * Computes the advantage of one reward stage by stage, in numbers.
 *
 * @param stages - stages of its batch
 * @param index - its index in the batch
 */
export function workedWords(
  name: AlgorithmName,
  reward: number,
  { centred, scaled }: Stages,
  index: number,
  advantage: number,
): string {
  const { mean, spread } = comparedWith[name];
  const [above, over] = [centred[index], scaled[index]];
  // One digit more than the result, and the difference of the shown figures. A reader who repeats the calculation gets the
  // same result.
  const exactly = (value: number): string => String(rounded(value, 3)).replace('-', '−');
  const compared = rounded(reward - above, 3);
  const left = exactly(reward - compared);
  const words = [`${mean} (${exactly(compared)}) that is ${above > 0 ? '+' : ''}${left}`];
  if (spread.startsWith('over') && over !== 0)
    words.push(`${spread} (${exactly(above / over)}) ${advantageNumber(over)}`);
  const isMoved = advantageNumber(advantage) !== advantageNumber(over);
  const afterKl = isMoved ? ` before KL, ${advantageNumber(advantage)} after it` : '';
  const way = advantage > 0 ? ', so it was pushed up' : advantage < 0 ? ', so it was pushed down' : '';
  return `earned ${withMinus(reward)}; ${words.join(', ')}${afterKl}: its advantage${way}.`;
}
