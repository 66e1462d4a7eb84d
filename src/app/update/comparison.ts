/** Words for the baseline and the scale of an algorithm, with figures of the shown step. */
import { extent } from '../../base/statistics';
import { resolveAlgorithm, type AlgorithmConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
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

/**
 * Explains the advantage, with the largest and the smallest of a step.
 *
 * @param advantages - without KL, which the sentence does not mention
 */
export function advantageWords(
  settings: AlgorithmConfig,
  { rewards }: Pick<StepBatch, 'rewards'> = { rewards: [] },
  advantages: readonly number[] = [],
): string {
  const { mean, spread } = comparisonOf(settings);
  const how = `An advantage is a completion’s reward ${mean[0]}${spread === spreads.none ? '' : `, ${spread[0]}`}`;
  if (rewards.length === 0) return `${how}.`;
  const [least, most] = extent(advantages).map((advantage) => {
    const reward = rewards[advantages.indexOf(advantage)];
    return `one that earned ${withMinus(reward)} has ${advantageNumber(advantage)}`;
  });
  return `${how}: here ${[...new Set([most, least])].join(', and ')}.`;
}

/** Explains dynamic sampling and a wider upper clip; empty without them. The clip acts only after a step's first update. */
export function samplingAndClipWords({
  algorithm,
  optimizer,
}: Pick<RunConfig, 'algorithm' | 'optimizer'>): string {
  const { resampleRounds, clipLow, clipHigh } = algorithm;
  const clips = optimizer.passes * optimizer.miniBatches > 1 && clipHigh > clipLow;
  return [
    resampleRounds > 0 ? ' Prompts whose samples all earned the same are replaced by new ones.' : '',
    clips
      ? ` The upper clip, ${clipHigh}, is wider than the lower, ${clipLow}: likelihoods may rise further than they fall.`
      : '',
  ].join('');
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
  const isMoved = advantageNumber(advantage) !== advantageNumber(over);
  const after = advantageNumber(advantage);
  const hasKl = settings.kl.place === 'reward' && settings.kl.coefficient > 0;
  const moved = hasKl ? ` before KL, ${after} after it` : ` among the drawn samples, ${after} among all`;
  const way = advantage > 0 ? ', so it was pushed up' : advantage < 0 ? ', so it was pushed down' : '';
  return `earned ${withMinus(reward)}; ${words.join(', ')}${isMoved ? moved : ''}: its advantage${way}.`;
}
