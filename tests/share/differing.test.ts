import { expect, it } from 'vitest';
import { presets } from '../../src/run/config/presets';
import { differingSettings } from '../../src/share/name';

const base = presets['swap-shortcut'];

it('differing settings are the only columns, including those that one run lacks', () => {
  const faithful = { ...base, reward: { preset: 'faithful' as const }, seed: 2 };
  const long = { ...base, reward: { ...base.reward, targetThinkWords: 9 } };
  const { columns, rows } = differingSettings([base, faithful, long]);
  expect(columns).toEqual(['seed', 'reward.preset', 'reward.targetThinkWords']);
  expect(rows[0][0]).toBe(String(base.seed));
  expect(rows[1]).toEqual(['2', 'faithful', '']);
});
