import { describe, expect, it } from 'vitest';
import { plainNumber } from '../../../src/app/ui/numbers';
import { paysWords, type Paying } from '../../../src/app/words/paying';
import { presets as rewards } from '../../../src/reward/reward-presets';
import type { RewardConfig } from '../../../src/reward/types';
import { presets } from '../../../src/run/config/presets';

const { algorithm } = presets['ladder-25k'];
const of = (reward: RewardConfig, changes: Partial<typeof algorithm> = {}): Paying => ({
  reward,
  algorithm: { ...algorithm, ...changes },
});

describe('what is said of a reward', () => {
  const trace = { statements: [{ text: 'so box', verdict: 'true' }], validity: 1, coverage: 1 };
  const read = { gold: 'box', trace, think: '', formatFault: 'no tags' };
  const evidences = [
    { ...read, formatHolds: true, answer: 'box', correct: true },
    { ...read, formatHolds: true, answer: 'jar', correct: false },
    { ...read, formatHolds: false, answer: null, correct: false },
  ];
  const totals = (preset: keyof typeof rewards): string[] =>
    evidences
      .map((evidence) => rewards[preset](evidence as never).reduce((sum, { value }) => sum + value, 0))
      .map((total) => plainNumber(total).replace('-', '−'));

  const indifferent = '. How much it thinks changes nothing.';
  it.each([
    ['logic-rl', '3 −0.5 −3', `a right answer 3, a wrong one −0.5, a wrong format −3${indifferent}`],
    ['tom-rl', '3 −1 −3', `a right answer 3, a wrong one −1, a wrong format −3${indifferent}`],
    ['rlvr-tom', '1.1 0.1 0', `a right answer 1.1, a wrong one 0.1, a wrong format 0${indifferent}`],
    ['answer-only', '1 0 0', `a right answer 1, anything else 0${indifferent}`],
    [
      'faithful',
      '4 3 −1',
      'a whole form 1, a broken one −1, true statements up to 2, false ones down to −0.5, a right answer up to 1, as far as they support it.',
    ],
  ] as const)('is what completions are paid under %s', (preset, paid, words) => {
    expect(totals(preset).join(' ')).toBe(paid);
    expect(paysWords(of({ preset }))).toBe(`The reward pays ${words}`);
  });

  it('is the function of a custom reward, and none of its preset', () => {
    const reward = { preset: 'faithful', custom: 'brevity', minimumThinkWords: 4 } as const;
    expect(paysWords(of(reward))).toBe('The reward pays what the function “brevity” returns.');
  });

  it('names every rule on length that is on, and says nowhere then that thinking changes nothing', () => {
    const preset = 'logic-rl';
    const alone = paysWords(of({ preset }));
    for (const [paying, words] of [
      [of({ preset, minimumThinkWords: 8 }), 'thinking of fewer than 8 words loses up to 1'],
      [of({ preset, targetThinkWords: 12 }), 'thinking loses up to 1 the further it is from 12 words'],
      [of({ preset }, { overlongBuffer: 16 }), 'the last 16 tokens before the limit cost up to 1'],
      [of({ preset }, { lengthPenalty: 0.5 }), 'length costs up to 0.5'],
    ] as const)
      expect(paysWords(paying)).toBe(alone.replace('. How much it thinks changes nothing.', `; ${words}.`));
    const off = of({ preset, minimumThinkWords: 0, targetThinkWords: 0 });
    expect(paysWords(off)).toBe(paysWords(of({ preset })));
  });
});
