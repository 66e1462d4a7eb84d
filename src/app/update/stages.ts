/**
 * From the rewards of one step to its advantages, stage by stage:
 *
 *   reward  ->  minus the mean  ->  over the spread  ->  minus KL  =  advantage
 *
 * `objective/advantages.ts` computes the advantages, here without KL, whose value at each token is not stored. The effect
 * of KL is the remaining difference from the trainer's advantages. The algorithm determines over what the mean and the
 * spread are taken (table in `objective/algorithm.ts`).
 */
import { computeAdvantages, subtractBaseline } from '../../objective/advantages';
import { resolveAlgorithm, type AlgorithmConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import { mean } from '../../base/statistics';
import type { StepBatch } from '../../run/recording/step-batch';

/**
 * For each sample of the batch its reward minus the baseline, and this over the spread: the advantage without KL.
 *
 * @param algorithm - used without its KL, and without a discount, which no preset has
 */
export function stagesOf(batch: StepBatch, algorithm: AlgorithmConfig) {
  const settings: AlgorithmConfig = { ...algorithm, gamma: 1, kl: { ...algorithm.kl, place: 'none' } };
  const { masked = { groups: [], rewards: [] }, tokens } = batch;
  const groups = [...batch.groups, ...masked.groups];
  const rewards = [...batch.rewards, ...masked.rewards];
  const rollouts = rewards.map((reward, i) => ({
    reward,
    group: groups[i],
    logprobs: new Float64Array(tokens[i] ?? 0), // no token of a masked sample counts
  }));
  const { baseline, scale } = resolveAlgorithm(settings);
  const byGroup = subtractBaseline(rewards, rollouts, baseline).slice(0, tokens.length);
  // Every token of the batch counts once, so a longer completion has more weight.
  const ofTokens = byGroup.flatMap((value, i) => new Array<number>(tokens[i]).fill(value));
  const centre = scale === 'all-tokens' && ofTokens.length > 0 ? mean(ofTokens) : 0;
  return {
    centred: byGroup.map((value) => value - centre),
    scaled: computeAdvantages(rollouts, settings)
      .slice(0, tokens.length)
      .map((row) => row[0] ?? 0),
  };
}

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

/** Words for the two stages. Settings may have another scale than the paper of their algorithm. */
export function stageWords(settings: AlgorithmConfig): [mean: string, spread: string] {
  const { baseline, scale } = resolveAlgorithm(settings);
  const ofBatch =
    baseline === 'none' ? 'minus the mean of the batch' : `${means[baseline]} and that of the batch`;
  return [scale === 'all-tokens' ? ofBatch : means[baseline], spreads[scale]];
}

/** Explains the advantage, without KL, and dynamic sampling. */
export function advantageWords(settings: AlgorithmConfig): string {
  const resampled =
    settings.resampleRounds > 0 ? ' Prompts whose samples all earned the same are replaced by new ones.' : '';
  return `An advantage is a completion’s reward ${stageWords(settings).join(', ')}.${resampled}`;
}
