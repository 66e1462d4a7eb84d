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
import { resolveAlgorithm, type AlgorithmConfig } from '../../objective/algorithm';
import type { StepBatch } from '../../run/recording/step-batch';

/** One number per sample of the batch in each list. */
export interface Stages {
  /** Reward minus its baseline. */
  centred: readonly number[];
  /** Centred reward divided by the spread: the advantage without KL. */
  scaled: readonly number[];
}

/** @param algorithm - used without its KL, and without a discount, which no preset has */
export function stagesOf(batch: StepBatch, algorithm: AlgorithmConfig): Stages {
  const settings: AlgorithmConfig = { ...algorithm, gamma: 1, kl: { ...algorithm.kl, place: 'none' } };
  const count = batch.rewards.length;
  const { groups, rewards } = withMasked(batch);
  const rollouts = rewards.map((reward, i) => ({
    reward,
    group: groups[i],
    logprobs: new Float64Array(i < count ? batch.tokens[i] : 0), // no token of a masked sample counts
  }));
  const { baseline, scale } = resolveAlgorithm(settings);
  const byGroup = subtractBaseline(rewards, rollouts, baseline).slice(0, count);
  // Every token of the batch counts once, so a longer completion has more weight.
  const centre = scale === 'all-tokens' ? tokenMean(byGroup, batch) : 0;
  return {
    centred: byGroup.map((value) => value - centre),
    scaled: computeAdvantages(rollouts, settings)
      .slice(0, count)
      .map((row) => row[0] ?? 0),
  };
}

function withMasked({ groups, rewards, masked }: StepBatch): Pick<StepBatch, 'groups' | 'rewards'> {
  if (masked === undefined) return { groups, rewards };
  return { groups: [...groups, ...masked.groups], rewards: [...rewards, ...masked.rewards] };
}

/** Mean over all response tokens of the batch. Each token has the value of its completion. */
function tokenMean(values: readonly number[], { tokens }: StepBatch): number {
  const count = tokens.reduce((sum, length) => sum + length, 0);
  return values.reduce((sum, value, i) => sum + value * tokens[i], 0) / Math.max(1, count);
}
