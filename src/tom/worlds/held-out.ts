/**
 * The generated items of the held-out evaluation: Hi-ToM, ToMi and ExploreToM in both tellings, from indices that no
 * training run reaches. Imported data sets replace them if there are any.
 */
import { generateDataset } from './generate';
import { checkKeys } from '../../base/known-keys';
import { heldOutTasks, worldOrders } from './orders';
import type { Item } from '../item';

/** Training uses indices from 0 upwards. */
const OFFSET = 3 * 2 ** 30;

/** Generates `perTask` items of each held-out task (`heldOutTasks`) that is not in `except`. Deterministic in `seed`. */
export function heldOutItems(options: { seed: number; perTask: number; except?: readonly string[] }): Item[] {
  checkKeys('heldOutItems', options, { seed: true, perTask: true, except: true });
  const { seed, perTask, except = [] } = options;
  return heldOutTasks
    .filter((source) => !except.includes(source))
    .flatMap((source) =>
      generateDataset({
        source,
        orders: [...worldOrders[source]],
        dropShortcutRight: 0,
        reentry: false,
        count: perTask,
        seed,
        offset: OFFSET,
      }),
    );
}
