import { expect, it } from 'vitest';
import { experimentOf, experiments } from '../../../src/app/class/experiments';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/settings-link';

it('an experiment of a class is known again by the link that a class opens, and by no other', async () => {
  const roomOf = async ({ preset, axes }: Pick<(typeof experiments)[number], 'preset' | 'axes'>) => {
    const base = { ...presets[preset], steps: 40 };
    const { config, sweep } = await decodeLink(await encodeLink(base, { sweep: axes, seats: 25 }));
    return { base: config, axes: sweep };
  };
  for (const experiment of experiments) {
    expect(experimentOf(await roomOf(experiment))).toBe(experiment);
  }
  expect(
    experimentOf(await roomOf({ preset: 'ladder-25k', axes: { reward: ['logic-rl', 'tom-rl'] } })),
  ).toBeNull();
});
