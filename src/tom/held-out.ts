/**
 * The items of the held-out evaluation: every task for which there is data. Data sets that the user has imported stand
 * for themselves; Hi-ToM, ToMi and ExploreToM are generated where they were not imported, from indices that no training
 * run reaches.
 */
import { createRandom } from '../random';
import { generateDataset } from './generate';
import type { Item } from './item';

/** Training takes indices from 0 up. */
const OFFSET = 3 * 2 ** 30;
const STREAM = 0x68656c;

const generated: readonly { source: string; orders: number[] }[] = [
  { source: 'hitom', orders: [0, 1, 2, 3, 4] },
  { source: 'tomi', orders: [0, 1, 2] },
  { source: 'exploretom', orders: [0, 1, 2] },
  { source: 'exploretom-infilled', orders: [0, 1, 2] },
];

/** At most `perTask` items of each data set, the same for the same seed; imported ones are drawn without repetition. */
export function heldOutItems(options: { seed: number; perTask: number; imported?: readonly Item[] }): Item[] {
  const { seed, perTask, imported = [] } = options;
  const names = [...new Set(imported.map(({ dataset }) => dataset))];
  const theirs = names.flatMap((name, index) => {
    const items = imported.filter(({ dataset }) => dataset === name);
    return createRandom(seed, STREAM, index).sample(items, perTask);
  });
  const ours = generated
    .filter(({ source }) => !names.includes(source))
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
  return [...ours, ...theirs];
}
