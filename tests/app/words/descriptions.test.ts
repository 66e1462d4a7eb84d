import { expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { presetDescriptions } from '../../../src/app/words/preset-descriptions';

it('the papers’ runs of 0.5 billion weights are not offered as hours', () => {
  for (const name of ['tom-rl', 'small-llms']) {
    expect(presetDescriptions[name]).toContain(`${presets[name].steps.toLocaleString('en')} steps`);
    expect(presetDescriptions[name]).toMatch(/takes days/);
    expect(presetDescriptions[name]).not.toMatch(/hours/);
  }
});

it('no description needs the one before it', () => {
  expect(Object.values(presetDescriptions).filter((words) => /^The same\b/.test(words))).toEqual([]);
});
