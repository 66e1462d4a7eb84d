/** A reward function of the caller, whose number replaces the total of the built-in reward. */
import { MarbleError } from '../base/error';
import type { Item } from '../tom/item';
import type { RewardParts } from './types';

/**
 * @param scored - what the built-in scoring found: its total and parts, the format, the answer, the trace
 * @returns the reward of the completion; terms on its length in tokens are added to it
 */
export type CustomReward = (completion: string, item: Item, scored: RewardParts) => number | Promise<number>;

/** Largest magnitude of a reward that a run's file may hold. */
const MOST = 1e6;

/** @throws MarbleError `reward/custom-failed`, `reward/not-finite` */
export async function customParts(
  custom: CustomReward,
  completion: string,
  item: Item,
  scored: RewardParts,
  name = custom.name,
): Promise<RewardParts> {
  const nextStep = 'Correct the function, then resume the run from its last checkpoint.';
  const total = await runCustom(custom, completion, item, scored).catch((thrown: unknown) => {
    throw new MarbleError(
      'reward/custom-failed',
      `The reward function “${name}” failed on an answer to the item ${item.id}: ${String(thrown)}`,
      nextStep,
      { cause: thrown },
    );
  });
  if (typeof total !== 'number' || !(Math.abs(total) <= MOST)) {
    throw new MarbleError(
      'reward/not-finite',
      `The reward function “${name}” returned ${String(total)} for an answer to the item ${item.id}; a reward is a number from -${MOST} to ${MOST}.`,
      nextStep,
    );
  }
  return { ...scored, total, parts: [{ name: 'custom', value: total, reason: name }] };
}

/** A synchronous throw becomes a rejection, and the result is unknown until it is checked. */
async function runCustom(...[custom, ...given]: [CustomReward, string, Item, RewardParts]): Promise<unknown> {
  return custom(...given);
}
