import { expect, it } from 'vitest';
import { armName, axesWords } from '../../../src/app/words/arms';
import {
  armsOf,
  differingWords,
  modelTitle,
  runWords,
  runWordsWithoutPreset,
} from '../../../src/app/words/run-words';
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

it('a model has the name of the page, of its file or of its repository, and is one setting of a run', () => {
  const first = presets['first-run-135m'];
  const file = { ...first, model: { kind: 'files' as const, name: 'smollm2.q4_1.gguf' } };
  const revision = '0'.repeat(40);
  const hub = (repository: string) => modelTitle({ kind: 'hub', repository, revision });
  expect([first.model, file.model].map(modelTitle)).toEqual(['SmolLM2-135M', 'smollm2.q4_1.gguf']);
  expect([hub('owner/llama'), hub('owner/llama:x.gguf')]).toEqual(['owner/llama', 'x.gguf']);
  expect(modelTitle({ kind: 'url', url: 'https://a.example/models/own/' })).toBe('own');
  expect(armsOf([first, file])).toEqual(['model SmolLM2-135M', 'model smollm2.q4_1.gguf']);
  expect(differingWords([first, { ...file, seed: 9 }])).toEqual({
    columns: ['seed', 'model'],
    rows: [
      ['1', 'SmolLM2-135M'],
      ['9', 'smollm2.q4_1.gguf'],
    ],
  });
  // Two commits of a repository have one name.
  const commit = (digit: string) => ({
    ...first,
    model: { kind: 'hub' as const, repository: 'owner/llama', revision: digit.repeat(40) },
  });
  expect(differingWords([commit('1'), commit('2')]).columns).toEqual(['model.revision']);
});
