/** Minimum and maximum total of each reward preset, without rules on length, for fixed chart axes. */
import type { RewardPreset } from '../../reward/types';

export const rewardBounds: Record<RewardPreset, [least: number, most: number]> = {
  'tom-rl': [-3, 3],
  'rlvr-tom': [0, 1.1],
  'logic-rl': [-3, 3],
  'answer-only': [0, 1],
  faithful: [-1, 4],
};
