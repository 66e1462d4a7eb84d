/**
 * From the rewards of one step to its advantages, stage by stage:
 *
 *   reward  ->  minus the mean  ->  over the spread  ->  minus KL  =  advantage
 *
 * `objective/advantages.ts` computes the advantages, here without KL, whose value at each token is not stored. The effect
 * of KL is the remaining difference from the trainer's advantages. The algorithm determines over what the mean and the
 * spread are taken (table in `objective/algorithm.ts`).
 */
import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { extent } from '../../base/statistics';
import { computeAdvantages, subtractBaseline } from '../../objective/advantages';
import {
  algorithms,
  resolveAlgorithm,
  type AlgorithmConfig,
  type AlgorithmName,
} from '../../objective/algorithm';
import type { StepBatch } from '../../run/recording/step-batch';

/** One number per sample of the batch in each list. */
export interface Stages {
  /** Reward minus its baseline. */
  centred: readonly number[];
  /** Centred reward divided by the spread: the advantage without KL. */
  scaled: readonly number[];
}

/**
 * Advantages of a step under the chosen algorithm: those of the trainer for the run's own algorithm, otherwise computed
 * with the settings of the paper.
 *
 * @param chosen - null for the run's own
 */
export function useAdvantages(own: AlgorithmConfig, chosen: Signal<AlgorithmName | null>, batch: StepBatch) {
  const isOwn = chosen.value === null || chosen.value === own.name;
  const settings = isOwn ? own : algorithms[chosen.value!];
  const stages = useMemo(() => stagesOf(batch, settings), [batch, settings]);
  const advantages = isOwn ? batch.advantages : stages.scaled;
  const [, largest] = extent(advantages.map(Math.abs));
  return { isOwn, settings, stages, advantages, largest };
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
export function tokenMean(values: readonly number[], { tokens }: StepBatch): number {
  const count = tokens.reduce((sum, length) => sum + length, 0);
  return values.reduce((sum, value, i) => sum + value * tokens[i], 0) / Math.max(1, count);
}

/** Number of prompts whose samples all earned the same, and number of all prompts. */
export function uniformGroups(batch: StepBatch): { uniform: number; all: number } {
  const names = [...new Set(batch.groups)];
  const { groups, rewards } = withMasked(batch);
  const uniform = names.filter((name) => {
    const own = rewards.filter((_, i) => groups[i] === name);
    return own.every((reward) => reward === own[0]);
  });
  return { uniform: uniform.length, all: names.length };
}
