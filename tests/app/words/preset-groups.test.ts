import { expect, it } from 'vitest';
import { presetGroups } from '../../../src/app/words/preset-groups';
import { presets } from '../../../src/run/config/presets';

it('every preset is an experiment of one group', () => {
  const grouped = presetGroups.flatMap((group): readonly string[] => group.presets);
  expect(grouped.toSorted()).toEqual(Object.keys(presets).toSorted());
  const real = new Set<string>(presetGroups[2].presets);
  for (const [name, { model }] of Object.entries(presets))
    if (real.has(name)) expect(model.kind, name).toBe('hub');
});
