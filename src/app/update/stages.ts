/**
 * From the rewards of one step to its advantages, stage by stage:
 *
 *   reward  ->  minus the mean  ->  over the spread  ->  minus KL  =  advantage
 *
 * The library computes the advantages (`objective/advantages.ts`), here without KL, whose value at each token is not kept; what
 * KL did is what then still differs from the advantages that the trainer had. What the mean is of, and what the spread,
 * is the algorithm's: `algorithm.ts` has the table.
 */
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
  rewards: readonly number[];
  /** The reward less what it is compared with. */
  centred: readonly number[];
  /** That divided by the spread: the advantage without KL. */
  scaled: readonly number[];
}

/** The settings of an algorithm by its name: the run's own where it is the run's, else as its paper has them. */
export function settingsOf(name: AlgorithmName, own: AlgorithmConfig): AlgorithmConfig {
  return name === own.name ? own : algorithms[name];
}

/** @param algorithm its KL is left aside, and so is a discount, which none of the presets has */
export function stagesOf(batch: StepBatch, algorithm: AlgorithmConfig): Stages {
  const settings: AlgorithmConfig = { ...algorithm, gamma: 1, kl: { ...algorithm.kl, place: 'none' } };
  const rollouts = batch.rewards.map((reward, i) => ({
    reward,
    group: batch.groups[i],
    logprobs: new Float64Array(batch.tokens[i]),
  }));
  const advantages = computeAdvantages(rollouts, settings);
  return {
    rewards: batch.rewards,
    centred: centredRewards(batch, settings),
    scaled: advantages.map((row) => row[0] ?? 0),
  };
}

function centredRewards(batch: StepBatch, settings: AlgorithmConfig): number[] {
  const { baseline, scale } = resolveAlgorithm(settings);
  const inGroups = batch.groups.map((group) => ({ group }));
  const byGroup = subtractBaseline(batch.rewards, inGroups, baseline);
  if (scale !== 'all-tokens') return byGroup;
  // Every token of the batch counts once, so that a long completion counts more than a short one.
  const centre = tokenMean(byGroup, batch);
  return byGroup.map((value) => value - centre);
}

/** The mean over all response tokens of the batch, of which each has its completion's value. */
export function tokenMean(values: readonly number[], { tokens }: StepBatch): number {
  const count = tokens.reduce((sum, length) => sum + length, 0);
  return values.reduce((sum, value, i) => sum + value * tokens[i], 0) / Math.max(1, count);
}

/** How many prompts have samples that all earned the same, and how many there are. */
export function uniformGroups({ groups, rewards }: StepBatch): { uniform: number; all: number } {
  const names = [...new Set(groups)];
  const uniform = names.filter((name) => {
    const own = rewards.filter((_, i) => groups[i] === name);
    return own.every((reward) => reward === own[0]);
  });
  return { uniform: uniform.length, all: names.length };
}
