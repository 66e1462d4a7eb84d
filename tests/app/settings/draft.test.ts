import { expect, it } from 'vitest';
import { withAnotherSeed } from '../../../src/app/settings/draft';
import { presets } from '../../../src/run/config/presets';

it('another seed is one that has not been run with these settings', () => {
  const config = { ...presets['swap-shortcut'], seed: 3 };
  const known = [config, { ...config, seed: 4 }, { ...config, seed: 5, steps: 10 }];
  expect(withAnotherSeed(config, known).seed).toBe(5);
});
