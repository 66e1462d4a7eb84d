import { expect, it } from 'vitest';
import { presetDescriptions, presetGroups, presetNames } from '../../../src/app/words/preset-words';
import { presets } from '../../../src/run/config/presets';

it('every preset has a description, a distinct name and one group', () => {
  const grouped = presetGroups.flatMap((group) => group.presets);
  for (const named of [grouped, Object.keys(presetNames), Object.keys(presetDescriptions)])
    expect(named.toSorted()).toEqual(Object.keys(presets).toSorted());
  expect(new Set(Object.values(presetNames)).size).toBe(Object.keys(presetNames).length);
});

it('the papers’ runs have the steps of their presets, and are not offered as hours', () => {
  for (const name of ['tom-rl', 'small-llms']) {
    expect(presetDescriptions[name]).toContain(`${presets[name].steps.toLocaleString('en')} steps`);
    expect(presetDescriptions[name]).toMatch(/takes days/);
    expect(presetDescriptions[name]).not.toMatch(/hours/);
  }
});
