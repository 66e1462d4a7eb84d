import { expect, it } from 'vitest';
import { openItems } from '../../../src/rl/data';
import { checkRunConfig } from '../../../src/run/config/check-config';
import { presets } from '../../../src/run/config/presets';

const mixes = Object.entries(presets).filter(
  ([name]) => name.startsWith('mix-') && name !== 'mix-hitom-mini',
);

it('there are the seven mixes of three sets', () => {
  const sets = mixes.map(([, config]) => {
    const source = openItems(config);
    return [...new Set(source.training(0, 24).map(({ dataset }) => dataset))].sort().join(' ');
  });
  expect(sets.sort()).toEqual([
    'exploretom',
    'exploretom hitom',
    'exploretom hitom who-knows',
    'exploretom who-knows',
    'hitom',
    'hitom who-knows',
    'who-knows',
  ]);
});

it.each([...mixes, ['mix-hitom-mini', presets['mix-hitom-mini']] as const])(
  '%s is split into 900, 300 and 300 questions, of which no story is in two',
  (_, config) => {
    checkRunConfig(config);
    const source = openItems(config);
    const { validation, suite } = source;
    const epoch = source.training(0, 900);
    expect(new Set(epoch.map(({ id }) => id)).size).toBe(900);
    expect(new Set(source.training(900, 900).map(({ id }) => id))).toEqual(
      new Set(epoch.map(({ id }) => id)),
    );
    expect([validation.length, suite.items.length, suite.lookItems]).toEqual([300, 300, 300]);
    const [trained, chosen, reported] = [epoch, validation, suite.items].map(
      (items) => new Set(items.map(({ storyId }) => storyId)),
    );
    for (const story of chosen) expect(trained.has(story) || reported.has(story)).toBe(false);
    for (const story of reported) expect(trained.has(story)).toBe(false);
  },
);
