/** Names custom rewards in configurations. The caller supplies the function. */
import { MarbleError } from '../../base/error';
import type { CustomReward } from '../../reward/custom';
import type { RewardConfig } from '../../reward/types';

/** Converts a file or function name to the form that configurations allow. */
export function rewardName(name: string): string {
  return name.replace(/[^\w.-]/g, '-').slice(0, 80) || 'custom';
}

/**
 * Adds the function's name to the configuration. Record, checkpoint and link then show that the run needs it.
 *
 * @throws MarbleError `reward/custom-missing` if the configuration names a function and none is given
 */
export function withCustomReward<Config extends { reward: RewardConfig }>(
  config: Config,
  custom: CustomReward | undefined,
): Config {
  const { custom: name } = config.reward;
  if (custom === undefined && name !== undefined) {
    throw new MarbleError(
      'reward/custom-missing',
      `The run is rewarded by the function “${name}”, which neither a link nor a run’s file holds.`,
      'Pass it: train(…, { reward }) in the library, --reward <file> in the command. The page runs no such function: start from a preset there.',
    );
  }
  if (custom === undefined || name !== undefined) return config;
  return { ...config, reward: { ...config.reward, custom: rewardName(custom.name) } };
}
