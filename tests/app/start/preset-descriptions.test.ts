import { expect, it } from 'vitest';
import { presetDescriptions } from '../../../src/app/start/preset-descriptions';
import { presets } from '../../../src/run/config/presets';

it('every preset of the form says what it is for, and no other is described', () => {
  expect(Object.keys(presetDescriptions).sort()).toEqual(Object.keys(presets).sort());
});
