/** What a completion can be paid, for axes that never move. */
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

/** The least and the greatest total: of the rules on length the penalty takes as much as it says, and each other one 1. */
export function boundsOfReward({ reward, algorithm }: Paying): [least: number, most: number] {
  const [least, most] = ofPreset[reward.preset];
  const rules = [reward.minimumThinkWords, reward.targetThinkWords, algorithm.overlongBuffer];
  return [least - rules.filter((one = 0) => one > 0).length - algorithm.lengthPenalty, most];
}
