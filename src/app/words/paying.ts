/** Words for what a run pays for, shared by all places of the page. */
import type { AlgorithmConfig } from '../../objective/algorithm';
import type { RewardConfig, RewardPreset } from '../../reward/types';

export interface Paying {
  reward: RewardConfig;
  algorithm: Pick<AlgorithmConfig, 'overlongBuffer' | 'lengthPenalty'>;
}

/** Total of each reward by outcome. A reward that pays for statements has no single figure. */
const totals: Readonly<Record<RewardPreset, string>> = {
  'logic-rl': 'a right answer 3, a wrong one −0.5, a wrong format −3',
  'tom-rl': 'a right answer 3, a wrong one −1, a wrong format −3',
  'rlvr-tom': 'a right answer 1.1, a wrong one 0.1, a wrong format 0',
  'answer-only': 'a right answer 1, anything else 0',
  faithful:
    'a whole form 1, a broken one −1, true statements up to 2, false ones down to −0.5, a right answer up to 1, as far as they support it',
};

/** Deductions for length, term by term; empty without such a rule. */
function lengthTerms({ reward, algorithm }: Paying): string[] {
  const preset: Partial<RewardConfig> = reward.custom === undefined ? reward : {};
  const { minimumThinkWords = 0, targetThinkWords = 0 } = preset;
  const { overlongBuffer, lengthPenalty } = algorithm;
  return [
    minimumThinkWords > 0 ? `thinking of fewer than ${minimumThinkWords} words loses up to 1` : '',
    targetThinkWords > 0 ? `thinking loses up to 1 the further it is from ${targetThinkWords} words` : '',
    overlongBuffer > 0 ? `the last ${overlongBuffer} tokens before the limit cost up to 1` : '',
    lengthPenalty > 0 ? `length costs up to ${lengthPenalty}` : '',
  ].filter((term) => term !== '');
}

/** `The reward pays a right answer 3, a wrong one −0.5, a wrong format −3. How much it thinks changes nothing.` */
export function paysWords(paying: Paying): string {
  const { preset, custom } = paying.reward;
  const total = custom === undefined ? totals[preset] : `what the function “${custom}” returns`;
  const terms = lengthTerms(paying);
  // `faithful` is the only built-in reward that depends on the content of thinking.
  const isIndifferent = custom === undefined && preset !== 'faithful' && terms.length === 0;
  const remark = isIndifferent ? ' How much it thinks changes nothing.' : '';
  return `The reward pays ${[total, ...terms].join('; ')}.${remark}`;
}
