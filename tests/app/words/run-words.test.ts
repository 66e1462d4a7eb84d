import { expect, it } from 'vitest';
import { runWords, runWordsWithoutPreset } from '../../../src/app/words/run-words';
import { formFields } from '../../../src/run/config/check-config';
import { presets } from '../../../src/run/config/presets';

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
