/** A custom reward function, whose result replaces the total of the built-in reward. */
import { MarbleError } from '../base/error';
import type { Item } from '../tom/item';
import type { RewardParts } from './types';

/**
 * A reward function of the user, which replaces the total of the preset.
 *
 * @param completion text after the prompt's `<think>`, without the end token
 * @param scored result of the built-in reward: total and parts, format, answer, trace
 * @returns the reward of the completion, to which the trainer adds penalties on the length in tokens
 */
export type CustomReward = (completion: string, item: Item, scored: RewardParts) => number | Promise<number>;

/** Largest magnitude of a reward in a run file. */
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
  const given = frozen({ item, scored });
  let total: unknown;
  try {
    total = await custom(completion, given.item, given.scored);
  } catch (thrown) {
    throw new MarbleError(
      'reward/custom-failed',
      `The reward function “${name}” failed on a completion of the item ${item.id}: ${wordsOf(thrown)}`,
      nextStep,
      { cause: thrown },
    );
  }
  if (typeof total !== 'number' || !(Math.abs(total) <= MOST)) {
    throw new MarbleError(
      'reward/not-finite',
      `The reward function “${name}” returned ${told(total)} for a completion of the item ${item.id}; a reward is a number from -${MOST} to ${MOST}.`,
      nextStep,
    );
  }
  return { ...scored, total, parts: [{ name: 'custom', value: total, reason: name }] };
}

/** A copy that the function cannot change: the trainer scores and evaluates with the original. */
function frozen<T>(value: T): T {
  const freeze = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    Object.values(part).forEach(freeze);
    Object.freeze(part);
  };
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
}

/** A thrown value may be anything, also one that has no text. */
function wordsOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `it threw a value of the type ${typeof thrown}`;
  }
}

const told = (total: unknown): string =>
  typeof total === 'number' ? String(total) : `${wordsOf(total)} (${total === null ? 'null' : typeof total})`;
