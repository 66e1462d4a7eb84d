/** Words for the baseline and the scale of an algorithm, with figures of the shown step. */
import { resolveAlgorithm, type AlgorithmConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import type { StepBatch } from '../../run/recording/step-batch';
import { signedNumber, withMinus } from '../ui/numbers';
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

/** Explains the advantage, without KL, and dynamic sampling. */
export function advantageWords(settings: AlgorithmConfig): string {
  const { mean, spread } = comparisonOf(settings);
  const resampled =
    settings.resampleRounds > 0 ? ' Prompts whose samples all earned the same are replaced by new ones.' : '';
  return `An advantage is a completion’s reward ${mean}, ${spread}.${resampled}`;
}

/** Follows one reward of a batch through the stages to its advantage, in numbers. */
export function workedWords(
  settings: AlgorithmConfig,
  { rewards, advantages }: StepBatch,
  { centred, scaled }: Stages,
  index: number,
): string {
  const { mean, spread } = comparisonOf(settings);
  const advantage = advantages[index];
  const way = advantage > 0 ? ', so it was pushed up' : advantage < 0 ? ', so it was pushed down' : '';
  return `earned ${withMinus(rewards[index])}; ${mean}: ${signedNumber(centred[index])}; ${spread}: ${signedNumber(scaled[index])}. Its advantage is ${signedNumber(advantage)}${way}.`;
}
