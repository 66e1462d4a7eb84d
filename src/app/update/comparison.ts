/** What each algorithm holds a reward against, in words that are true of the step at hand. */
import { extent } from '../../base/statistics';
import type { AlgorithmName } from '../../objective/algorithm';
import { rounded, signedNumber, withMinus } from '../ui/numbers';
import { uniformGroups, type Stages } from './stages';
import type { StepBatch } from '../../run/recording/step-batch';

/** Where the mean and the spread are taken, for the captions of the stages. */
export const comparedWith: Record<AlgorithmName, { mean: string; spread: string }> = {
  'reinforce++': { mean: 'minus the mean of the batch', spread: 'over the spread of the batch' },
  'reinforce++-baseline': { mean: 'minus the mean of its prompt', spread: 'over the spread of the batch' },
  grpo: { mean: 'minus the mean of its prompt', spread: 'over the spread of its prompt' },
  'dr-grpo': { mean: 'minus the mean of its prompt', spread: 'divided by nothing' },
  dapo: { mean: 'minus the mean of its prompt', spread: 'over the spread of its prompt' },
  rloo: { mean: 'minus the mean of the others of its prompt', spread: 'divided by nothing' },
};

/** One or two sentences. */
export function comparisonWords(name: AlgorithmName, batch: StepBatch): string {
  const { uniform, all } = uniformGroups(batch);
  const silent =
    uniform === 0
      ? 'Here every prompt has samples that earned differently.'
      : `A prompt whose samples all earned the same teaches nothing: here ${uniform} of the ${all} prompts.`;
  switch (name) {
    case 'reinforce++':
      return `REINFORCE++ compares a completion with the whole batch: what earned more than the batch’s mean is pushed up, even where all samples of its prompt earned the same (here ${uniform} of the ${all} prompts).`;
    case 'reinforce++-baseline':
      return `This variant compares a completion with the other samples of the same prompt, and divides by the spread of the whole batch. ${silent}`;
    case 'grpo':
      return `GRPO compares a completion with the other samples of the same prompt, and divides by their spread: small differences in an even group count as much as large ones. ${silent}`;
    case 'dr-grpo':
      return `Dr. GRPO compares a completion with the other samples of the same prompt and divides by nothing: larger differences count more. ${silent}`;
    case 'dapo':
      return `DAPO has GRPO’s advantages, a comparison with the other samples of the same prompt; it differs in its clip, in averaging over tokens, and in drawing other prompts where all samples earned the same. ${silent}`;
    case 'rloo':
      return `RLOO compares a completion with the other samples of the same prompt, itself left out of the mean. ${silent}`;
  }
}

/** With its sign, 0 without one. */
export function advantageNumber(advantage: number): string {
  const words = signedNumber(advantage);
  return words === '+0' ? '0' : words;
}

/**
 * What an advantage is, with the most and the least of this step.
 *
 * @param advantages - without KL, of which the sentence does not speak
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
 * The way of one reward to its advantage, in numbers.
 *
 * @param stages - of its batch, in which it has this index
 */
export function workedWords(
  name: AlgorithmName,
  reward: number,
  { centred, scaled }: Pick<Stages, 'centred' | 'scaled'>,
  index: number,
  advantage: number,
): string {
  const { mean, spread } = comparedWith[name];
  const [above, over] = [centred[index], scaled[index]];
  // a digit more than the result has, and the difference of what is shown: who makes the sum by hand comes to the same
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
