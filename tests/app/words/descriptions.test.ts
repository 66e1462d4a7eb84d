import { expect, it } from 'vitest';
import { presetDescriptions } from '../../../src/app/words/preset-descriptions';

it('no description needs the one before it', () => {
  expect(Object.values(presetDescriptions).filter((words) => /^The same\b/.test(words))).toEqual([]);
});
