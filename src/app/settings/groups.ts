/** Layout of the form: its groups. */
import { algorithms, type AlgorithmName } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { withAlgorithm } from '../../run/config/presets';
import { isWorldName, worldOrders } from '../../tom/worlds/orders';

/** Fields of the start panel's row, which belong to no group. */
export const rowPaths: readonly string[] = ['data.source', 'reward.preset', 'algorithm.name', 'steps'];

/** Beginnings of the paths of each group. A field is in the first group that has one of its own; the last takes the rest. */
const starts = {
  Questions: ['data.orders', 'data.dropShortcutRight', 'data.rho'],
  Reward: ['reward.minimumThinkWords', 'reward.targetThinkWords'],
  Learning: ['algorithm.kl.coefficient', 'optimizer.learningRate', 'rollout.temperature', 'training.adapter'],
  'Answers of a step': ['rollout.promptsPerStep', 'rollout.samplesPerPrompt', 'rollout.maxNewTokens', 'seed'],
  'Warm start': ['warmStart'],
  Objective: ['algorithm'],
  Optimizer: ['optimizer'],
  Tests: ['evaluation'],
  'More on questions': ['data'],
  'The run': [''],
};
type GroupName = keyof typeof starts;

const groups = Object.keys(starts) as GroupName[];
export const settingGroups = groups.slice(0, 4);
/** Groups that are folded away. */
export const advancedGroups = groups.slice(4);

export const groupOf = (path: string): GroupName =>
  groups.find((group) => starts[group].some((start) => path.startsWith(start)))!;

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
