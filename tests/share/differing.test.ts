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
