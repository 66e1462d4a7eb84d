/** Layout of the form: its groups. */
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
    paths: ['algorithm.kl.coefficient', 'optimizer.learningRate', 'rollout.temperature', 'training.adapter'],
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
