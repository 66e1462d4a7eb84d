import { describe, expect, it } from 'vitest';
import { baseOf, experimentOf, experiments } from '../../../src/app/class/experiments';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/settings-link';

describe('an experiment of a class', () => {
  it('is as long as the settings of the page say, once somebody has changed that', () => {
    for (const experiment of experiments) {
      const own = presets[experiment.preset];
      expect(baseOf(experiment, { ...own, steps: 50 })).toEqual({ ...own, steps: 50 });
      const other = presets['swap-shortcut'];
      expect(baseOf(experiment, { ...other, steps: 70 })).toEqual({ ...own, steps: 70 });
    }
  });

  it('is as long as its preset where nobody has, whatever else the settings say', () => {
    const other = presets['swap-shortcut'];
    expect(other.steps).not.toBe(presets['ladder-25k'].steps);
    expect(baseOf(experiments[1], { ...other, seed: 3 })).toEqual(presets['ladder-25k']);
  });

  it('is known again by the link that a class opens, and by no other', async () => {
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
});
