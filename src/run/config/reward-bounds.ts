/** Bounds of a completion's reward, for fixed chart axes. */
import type { AlgorithmConfig } from '../../objective/algorithm';
import type { RewardConfig, RewardPreset } from '../../reward/types';

const ofPreset: Record<RewardPreset, readonly [least: number, most: number]> = {
  'tom-rl': [-3, 3],
  'rlvr-tom': [0, 1.1],
  'logic-rl': [-3, 3],
  'answer-only': [0, 1],
  faithful: [-1, 4],
};

export interface Paying {
  reward: RewardConfig;
  algorithm: Pick<AlgorithmConfig, 'overlongBuffer' | 'lengthPenalty'>;
}

/** Minimum and maximum total reward. The length penalty subtracts up to its value, each other length rule up to 1. */
export function boundsOfReward({ reward, algorithm }: Paying): [least: number, most: number] {
  const [least, most] = ofPreset[reward.preset];
  const rules = [reward.minimumThinkWords, reward.targetThinkWords, algorithm.overlongBuffer];
  return [least - rules.filter((one = 0) => one > 0).length - algorithm.lengthPenalty, most];
}
