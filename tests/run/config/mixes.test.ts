import { expect, it } from 'vitest';
import { openItems } from '../../../src/rl/data';
import { presets } from '../../../src/run/config/presets';

const mixes = Object.entries(presets).filter(([name]) => name.startsWith('mix-'));

it.each(mixes)('%s is split into 900 and 300 questions that share no story', (_, config) => {
  const source = openItems(config);
  const { suite } = source;
  const epoch = source.training(0, 900);
  expect(new Set(epoch.map(({ id }) => id)).size).toBe(900);
  expect(new Set(source.training(900, 900).map(({ id }) => id))).toEqual(new Set(epoch.map(({ id }) => id)));
  expect([suite.items.length, suite.lookItems]).toEqual([300, 300]);
  const [trained, reported] = [epoch, suite.items].map(
    (items) => new Set(items.map(({ storyId }) => storyId)),
  );
  for (const story of reported) expect(trained.has(story)).toBe(false);
});
