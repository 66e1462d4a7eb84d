import { expect, it } from 'vitest';
import { presets } from '../../src/run/config/presets';
import { differingSettings } from '../../src/share/differing';

const base = presets['swap-shortcut'];

it('runs that differ only in the seed are one arm, and the seed is the only column', () => {
  const { columns, rows, arms } = differingSettings([base, { ...base, seed: 7 }]);
  expect(columns).toEqual(['seed']);
  expect(rows).toEqual([[String(base.seed)], ['7']]);
  expect(arms).toEqual(['', '']);
});

it('an arm is named by its differing settings, including those that one run lacks', () => {
  const faithful = { ...base, reward: { preset: 'faithful' as const }, seed: 2 };
  const long = { ...base, reward: { ...base.reward, targetThinkWords: 9 } };
  const { columns, rows, arms } = differingSettings([base, faithful, long]);
  expect(columns).toEqual(['seed', 'reward.preset', 'reward.targetThinkWords']);
  expect(rows[1]).toEqual(['2', 'faithful', '']);
  expect(arms).toEqual([
    `reward ${base.reward.preset}, targetThinkWords as usual`,
    'reward faithful, targetThinkWords as usual',
    `reward ${base.reward.preset}, targetThinkWords 9`,
  ]);
});

it('preset names represent the differences between presets', () => {
  const contrast = { ...presets['hitom-mini'], seed: 4 };
  const shorter = { ...base, steps: 20 };
  const { columns, arms } = differingSettings([base, contrast, shorter]);
  expect(columns).toEqual(['preset', 'seed', 'steps']);
  expect(arms).toEqual([
    `swap-shortcut, steps ${base.steps}`,
    `hitom-mini, steps ${contrast.steps}`,
    'swap-shortcut, steps 20',
  ]);
});

it('runs of an unknown preset are compared by all their settings', () => {
  const foreign = { ...base, preset: 'of-another-version', steps: 20 };
  expect(differingSettings([base, foreign]).columns).toEqual(['preset', 'steps']);
});

it('an arm that lacks a setting of its preset is named so', () => {
  const first = presets['first-run-135m'];
  const fresh = { ...first, training: { mode: 'lora', rank: 8, alpha: 16 } as const };
  expect(differingSettings([first, fresh]).arms).toEqual(['adapter ships:rooms-135m', 'no adapter']);
  const { finalItems: _, ...evaluation } = base.evaluation;
  const { arms } = differingSettings([base, { ...base, evaluation }, presets['swap-faithful']]);
  expect(arms).toEqual([
    'swap-shortcut, evaluation.finalItems 2000',
    'swap-shortcut, no evaluation.finalItems',
    'swap-faithful, evaluation.finalItems 2000',
  ]);
});
