/** Words for the baseline and the scale of an algorithm, with figures of the shown step. */
import { resolveAlgorithm, type AlgorithmConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import { rounded, signedNumber, withMinus } from '../ui/numbers';
import type { Stages } from './stages';

const means: Record<ResolvedAlgorithm['baseline'], string> = {
  none: 'minus nothing',
  'group-mean': 'minus the mean of its prompt',
  'others-mean': 'minus the mean of the others of its prompt',
};

const spreads: Record<ResolvedAlgorithm['scale'], string> = {
  'all-tokens': 'over the spread of the batch',
  batch: 'over the spread of the batch',
  group: 'over the spread of its prompt',
  none: 'divided by nothing',
};

/** Stages between the rewards and the advantages of an algorithm. Its settings may have another scale than its paper. */
export function comparisonOf(settings: AlgorithmConfig): { mean: string; spread: string } {
  const { baseline, scale } = resolveAlgorithm(settings);
  const ofBatch =
    baseline === 'none' ? 'minus the mean of the batch' : `${means[baseline]} and that of the batch`;
  return { mean: scale === 'all-tokens' ? ofBatch : means[baseline], spread: spreads[scale] };
}

/** Number with its sign; 0 without one. */
export function advantageNumber(advantage: number): string {
  const words = signedNumber(advantage);
  return words === '+0' ? '0' : words;
}

/** Explains the advantage, without KL. */
export function advantageWords(settings: AlgorithmConfig): string {
  const { mean, spread } = comparisonOf(settings);
  return `An advantage is a completion’s reward ${mean}${spread === spreads.none ? '' : `, ${spread}`}.`;
}

/** Explains dynamic sampling; empty without it. */
export function resamplingWords({ resampleRounds }: AlgorithmConfig): string {
  return resampleRounds > 0 ? ' Prompts whose samples all earned the same are replaced by new ones.' : '';
}

/**
 * Computes the advantage of one reward stage by stage, in numbers.
 *
 * @param stages - stages of its batch
 * @param index - its index in the batch
 */
export function workedWords(
  settings: AlgorithmConfig,
  reward: number,
  { centred, scaled }: Stages,
  index: number,
  advantage: number,
): string {
  const { mean, spread } = comparisonOf(settings);
  const [above, over] = [centred[index], scaled[index]];
  // One digit more than the result, and the difference of the shown figures. A reader who repeats the calculation gets the
  // same result.
  const exactly = (value: number): string => String(rounded(value, 3)).replace('-', '−');
  const compared = rounded(reward - above, 3);
  const left = exactly(reward - compared);
  const words = [`${mean} (${exactly(compared)}) that is ${above > 0 ? '+' : ''}${left}`];
  if (spread !== spreads.none && over !== 0)
    words.push(`${spread} (${exactly(above / over)}) ${advantageNumber(over)}`);
  if (over === 0 && above !== 0) words.push(`${spread} 0, since all of it earned the same`);
  const way = advantage > 0 ? ', so it was pushed up' : advantage < 0 ? ', so it was pushed down' : '';
  return `earned ${withMinus(reward)}; ${words.join(', ')}. Its advantage is ${advantageNumber(advantage)}${way}.`;
}
