/** Layout of the form: its groups, and the stops of its sliders. */
import { algorithms, type AlgorithmName } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { withAlgorithm } from '../../run/config/presets';
import { isWorldName, worldOrders } from '../../tom/worlds/orders';

/** Fields of the start panel's row, which belong to no group. */
export const rowPaths: readonly string[] = ['data.source', 'reward.preset', 'algorithm.name', 'steps'];

/** All other fields of the form are under Advanced. */
export const settingGroups: readonly { title: string; paths: readonly string[] }[] = [
  { title: 'Questions', paths: ['data.orders', 'data.dropShortcutRight', 'data.rho'] },
  { title: 'Reward', paths: ['reward.minimumThinkWords', 'reward.targetThinkWords'] },
  {
    title: 'Learning',
    paths: ['algorithm.kl.coefficient', 'optimizer.learningRate', 'rollout.temperature'],
  },
  {
    title: 'Answers of a step',
    paths: ['rollout.promptsPerStep', 'rollout.samplesPerPrompt', 'rollout.maxNewTokens', 'seed'],
  },
];

/** Groups of the other fields, by the first part of their paths. The last group takes the rest. */
export const advancedGroups = [
  { title: 'Warm start', start: 'warmStart' },
  { title: 'Objective', start: 'algorithm' },
  { title: 'Optimizer', start: 'optimizer' },
  { title: 'Tests', start: 'evaluation' },
  { title: 'More on questions', start: 'data' },
  { title: 'The run', start: '' },
] as const;

export function groupStart(path: string): string {
  const [start] = path.split('.');
  return advancedGroups.some((group) => group.start === start) ? start : '';
}

/**
 * Settings after a choice. An algorithm sets all settings of its paper and keeps the cost of length, as in a sweep. Other
 * stories keep those of the chosen orders that they have, or take all of theirs.
 */
export function withChoice(config: RunConfig, path: string, text: string): RunConfig {
  if (path === 'algorithm.name' && Object.hasOwn(algorithms, text))
    return withAlgorithm(config, text as AlgorithmName);
  if (path !== 'data.source' || !isWorldName(text)) return config;
  const all: readonly number[] = worldOrders[text];
  const had = all.filter((order) => config.data.orders.includes(order));
  return { ...config, data: { ...config.data, orders: [...(had.length > 0 ? had : all)] } };
}

const tenths = Array.from({ length: 11 }, (_, index) => index / 10);

/** Stops of each slider, over the range of common experiments. The text box takes the whole range. */
export const sliderStops: Readonly<Record<string, readonly number[]>> = {
  'data.dropShortcutRight': tenths,
  'data.rho': tenths,
  'reward.minimumThinkWords': [0, 2, 4, 8, 12, 16, 24, 32, 64, 128, 256],
  'reward.targetThinkWords': [0, 2, 4, 8, 12, 16, 24, 32, 64, 128, 256],
  'algorithm.kl.coefficient': [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
  'optimizer.learningRate': [
    1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 4e-4, 6e-4, 8e-4, 0.001, 0.0012, 0.0015, 0.002, 0.003,
    0.005, 0.01,
  ],
  'rollout.temperature': [0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2],
  'rollout.promptsPerStep': [1, 2, 4, 8, 12, 16, 24, 32, 64],
  'rollout.samplesPerPrompt': [1, 2, 4, 8, 12, 16, 24, 32],
  'rollout.maxNewTokens': [16, 24, 32, 48, 64, 80, 128, 160, 256, 512, 1024, 2048],
};

export function nearestStop(stops: readonly number[], value: number): number {
  const distance = (place: number): number => Math.abs(stops[place] - value);
  return stops.reduce((best, _, place) => (distance(place) < distance(best) ? place : best), 0);
}
