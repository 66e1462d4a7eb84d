import { expect, it } from 'vitest';
import { armName, axesWords } from '../../../src/app/words/arms';
import { armsOf, runWords, runWordsWithoutPreset } from '../../../src/app/words/run-words';
import { formFields } from '../../../src/run/config/check-config';
import { presets } from '../../../src/run/config/presets';
import { expandSweep } from '../../../src/run/sweep/sweep';

it('a run is named in the words of the form, with nothing left out', () => {
  const small = presets['ladder-12k'];
  const config = {
    ...small,
    seed: 3,
    steps: 40,
    reward: { preset: 'faithful' as const },
    model: { kind: 'files' as const, name: 'tinyqwen' },
    optimizer: { ...small.optimizer, learningRate: 1e-3 },
  };
  const words = runWords(config);
  expect(words).toMatch(/^The ladder: the small model, model tinyqwen, /);
  for (const part of ['seed 3', 'steps 40', 'paid for Correct reasoning', 'learning rate 0.001'])
    expect(words).toContain(part);
  for (const { path } of formFields.filter(({ path }) => path.includes('.')))
    expect(words).not.toContain(path);
  expect(words).not.toMatch(/more/);
  expect(runWords(config, 2)).toMatch(
    /^The ladder: the small model, model tinyqwen, [^,]+, \d more settings$/,
  );
  expect(runWordsWithoutPreset(config)).toMatch(/^Run of seed 3, model tinyqwen/);
});

it('arms, and the values of a sweep, have the names of the form', () => {
  const base = presets['ladder-25k'];
  const axes = { reward: ['logic-rl', 'faithful'], klCoefficient: [0.1], model: [base.model] } as const;
  const arms = expandSweep(base, axes).map(({ arm }) => armName(arm));
  expect(arms).toEqual([
    'middle model, paid for Right answers (Logic-RL), KL penalty 0.1',
    'middle model, paid for Correct reasoning, KL penalty 0.1',
  ]);
  expect(axesWords(axes)).toContain('paid for Right answers (Logic-RL), Correct reasoning');
  const others = expandSweep(base, { algorithm: ['grpo'], dropShortcutRight: [0.9], orders: [[1, 2]] });
  expect(armName(others[0].arm)).toBe('GRPO, without 90 % of the questions the shortcut solves, orders 1 2');
  const lora = { ...base, training: { mode: 'lora', rank: 4, alpha: 8 } as const };
  expect(armsOf([base, { ...lora, seed: 9 }])[1]).toBe('training LoRA, LoRA rank 4, LoRA alpha 8');
  expect(armsOf([base, presets['swap-faithful']])[1]).toBe('Paid for correct reasoning');
});
