import { expect, it } from 'vitest';
import { armName, axesWords } from '../../../src/app/words/arms';
import * as words from '../../../src/app/words/run-words';
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
  const name = words.runWords(config);
  expect(name).toMatch(/^The ladder: the small model, model tinyqwen, /);
  for (const part of ['seed 3', 'steps 40', 'paid for Correct reasoning', 'learning rate 0.001'])
    expect(name).toContain(part);
  for (const { path } of formFields.filter(({ path }) => path.includes('.')))
    expect(name).not.toContain(path);
  expect(name).not.toMatch(/more/);
  expect(words.runWords(config, 2)).toMatch(/^The ladder: [^,]+, model tinyqwen, [^,]+, \d more settings$/);
  expect(words.runWordsWithoutPreset(config)).toMatch(/^Run of seed 3, model tinyqwen/);
});

it('arms, and the values of a sweep, have the names of the form', () => {
  const base = presets['ladder-25k'];
  const axes = { reward: ['logic-rl', 'faithful'], klCoefficient: [0.1], model: [base.model] } as const;
  const arms = expandSweep(base, axes).map(armName);
  expect(arms).toEqual([
    'size middle, paid for Right answers (Logic-RL), KL penalty 0.1',
    'size middle, paid for Correct reasoning, KL penalty 0.1',
  ]);
  expect(axesWords(axes)).toContain('paid for Right answers (Logic-RL), Correct reasoning');
  const [other] = expandSweep(base, { algorithm: ['grpo'], temperature: [0.6], dropShortcutRight: [0.291], orders: [[1, 2]], seed: [3] }); // prettier-ignore
  expect(armName(other)).toBe(
    'algorithm GRPO, temperature 0.6, leave out questions the shortcut solves 29.1 %, orders of belief 12',
  );
  expect(armName({ values: {} })).toBe('as configured');
  const lora = { ...base, training: { mode: 'lora', rank: 4, alpha: 8 } as const };
  expect(words.armsOf([base, { ...lora, seed: 9 }])[1]).toBe('training LoRA, LoRA rank 4, LoRA alpha 8');
  expect(words.armsOf([base, presets['swap-faithful']])[1]).toBe('Paid for correct reasoning');
});

it('a model has the name of the page, of its file or of its repository, and is one setting of a run', () => {
  const first = presets['first-run-135m'];
  const file = { ...first, model: { kind: 'files' as const, name: 'smollm2.q4_1.gguf' } };
  const hub = (repository: string, digit = '0') =>
    ({ kind: 'hub', repository, revision: digit.repeat(40) }) as const;
  const models = [first.model, file.model, hub('owner/llama'), hub('owner/llama:x.gguf')];
  const titles = ['SmolLM2-135M', 'smollm2.q4_1.gguf', 'owner/llama', 'x.gguf'];
  expect(models.map(words.modelTitle)).toEqual(titles);
  expect(words.armsOf([first, file])).toEqual(['model SmolLM2-135M', 'model smollm2.q4_1.gguf']);
  const { columns, rows } = words.differingWords([first, { ...file, seed: 9 }]);
  expect(columns).toEqual(['seed', 'model']);
  expect(rows).toEqual([1, 9].map((seed, at) => [String(seed), titles[at]]));
  // Two commits of a repository have one name.
  const commits = ['1', '2'].map((digit) => ({ ...first, model: hub('owner/llama', digit) }));
  expect(words.differingWords(commits).columns).toEqual(['model.revision']);
});

it('the work of a run counts examples where it is supervised, and answers where it is rewarded', () => {
  const works = ['first-run-135m', 'first-run-0.5b', 'start-135m', 'swap-sft-answers'].map((name) =>
    words.workWords(presets[name]),
  );
  expect(works).toEqual([
    '12 steps of 32 answers',
    '40 steps of 16 examples, then 12 steps of 32 answers',
    '60 steps of 16 examples',
    '150 steps of 128 examples',
  ]);
});
