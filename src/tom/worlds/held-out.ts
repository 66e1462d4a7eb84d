/**
 * The generated items of the held-out evaluation: Hi-ToM, ToMi and ExploreToM in both tellings, from indices that no
 * training run reaches. Imported data sets stand in their place where there are any.
 */
import { generateDataset } from './generate';
import type { Item } from '../item';

/** Training takes indices from 0 up. */
const OFFSET = 3 * 2 ** 30;

const generated: readonly { source: string; orders: number[] }[] = [
  { source: 'hitom', orders: [0, 1, 2, 3, 4] },
  { source: 'tomi', orders: [0, 1, 2] },
  { source: 'exploretom', orders: [0, 1, 2] },
  { source: 'exploretom-infilled', orders: [0, 1, 2] },
];

/** `perTask` items of each data set but those of `except`, the same for the same seed. */
export function heldOutItems(options: { seed: number; perTask: number; except?: readonly string[] }): Item[] {
  const { seed, perTask, except = [] } = options;
  return generated
    .filter(({ source }) => !except.includes(source))
    .flatMap((spec) =>
      generateDataset({
        ...spec,
        dropShortcutRight: 0,
        reentry: false,
        count: perTask,
        seed,
        offset: OFFSET,
      }),
    );
}
