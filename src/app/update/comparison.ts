/** Words for the baseline and the scale of an algorithm, with figures of the shown step. */
import { resolveAlgorithm, type AlgorithmConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import { plainNumber, rounded, signedNumber, withMinus } from '../ui/numbers';
import { tokenMean, type Stages } from './stages';
import type { StepBatch } from '../../run/recording/step-batch';

/** A stage in words, and its figures in a step. */
type Stage = readonly [words: string, figures: (batch: StepBatch, stages: Stages) => string];

const stays = (): string => 'They stay as they are.';
const ofPrompts = ({ groups }: StepBatch): string =>
  `${new Set(groups).size} prompts, each with its own mean`;

const means: Record<ResolvedAlgorithm['baseline'], Stage> = {
  none: ['minus nothing', stays],
  'group-mean': ['minus the mean of its prompt', ofPrompts],
  'others-mean': ['minus the mean of the others of its prompt', ofPrompts],
};

const meanOfBatch: Stage = [
  'minus the mean of the batch',
  (batch) =>
    `minus ${withMinus(tokenMean(batch.rewards, batch))}: the mean over all tokens, so a longer completion counts more`,
];

const overBatch: Stage = [
  'over the spread of the batch',
  (_, { centred, scaled }) => {
    const sizes = scaled.map(Math.abs);
    const place = sizes.indexOf(Math.max(...sizes));
    return scaled[place] ? `÷ ${plainNumber(centred[place] / scaled[place])}` : 'All are equal: 0.';
  },
];

const spreads: Record<ResolvedAlgorithm['scale'], Stage> = {
  'all-tokens': overBatch,
  batch: overBatch,
  group: ['over the spread of its prompt', () => 'Each prompt has its own spread.'],
  none: ['divided by nothing', stays],
};

/** Stages between the rewards and the advantages of an algorithm. Its settings may have another scale than its paper. */
export function comparisonOf(settings: AlgorithmConfig): { mean: Stage; spread: Stage } {
  const { baseline, scale } = resolveAlgorithm(settings);
  const [own, figures] = means[baseline];
  const both: Stage = [`${own} and that of the batch`, figures];
  const mean = scale !== 'all-tokens' ? means[baseline] : baseline === 'none' ? meanOfBatch : both;
  return { mean, spread: spreads[scale] };
}

/** Number with its sign; 0 without one. */
export function advantageNumber(advantage: number): string {
  const words = signedNumber(advantage);
  return words === '+0' ? '0' : words;
}

/** Explains the advantage, without KL. */
export function advantageWords(settings: AlgorithmConfig): string {
  const { mean, spread } = comparisonOf(settings);
  return `An advantage is a completion’s reward ${mean[0]}${spread === spreads.none ? '' : `, ${spread[0]}`}.`;
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
  const words = [`${mean[0]} (${exactly(compared)}) that is ${above > 0 ? '+' : ''}${left}`];
  if (spread !== spreads.none && over !== 0)
    words.push(`${spread[0]} (${exactly(above / over)}) ${advantageNumber(over)}`);
  if (over === 0 && above !== 0) words.push(`${spread[0]} 0, since all of it earned the same`);
  const way = advantage > 0 ? ', so it was pushed up' : advantage < 0 ? ', so it was pushed down' : '';
  return `earned ${withMinus(reward)}; ${words.join(', ')}. Its advantage is ${advantageNumber(advantage)}${way}.`;
}
