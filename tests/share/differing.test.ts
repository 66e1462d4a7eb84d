import { expect, it } from 'vitest';
import { presets } from '../../src/run/config/presets';
import { differingSettings } from '../../src/share/name';

const base = presets['swap-shortcut'];

it('the seed is the only column of runs that differ in it alone', () => {
  const { columns, rows } = differingSettings([base, { ...base, seed: 7 }]);
  expect(columns).toEqual(['seed']);
  expect(rows).toEqual([[String(base.seed)], ['7']]);
});

it('differing settings are columns, including those that one run lacks', () => {
  const faithful = { ...base, reward: { preset: 'faithful' as const }, seed: 2 };
  const long = { ...base, reward: { ...base.reward, targetThinkWords: 9 } };
  const { columns, rows } = differingSettings([base, faithful, long]);
  expect(columns).toEqual(['seed', 'reward.preset', 'reward.targetThinkWords']);
  expect(rows[1]).toEqual(['2', 'faithful', '']);
});

it('preset names represent the differences between presets', () => {
  const contrast = { ...presets['hitom-mini'], seed: 4 };
  const shorter = { ...base, steps: 20 };
  const { columns } = differingSettings([base, contrast, shorter]);
  expect(columns).toEqual(['preset', 'seed', 'steps']);
});

it('runs of an unknown preset are compared by all their settings', () => {
  const foreign = { ...base, preset: 'of-another-version', steps: 20 };
  expect(differingSettings([base, foreign]).columns).toEqual(['preset', 'steps']);
});
