/** Items of our own generators: a data set's usual settings, but for what a test wants otherwise. */
import type { Item } from '../../src/tom/item';
import { generateDataset, generatorNames } from '../../src/tom/worlds/generate';

type Settings = Parameters<typeof generateDataset>[0];

/** Questions of every order that the source has. */
export function itemsOf(source: string, count: number, seed = 1, changes: Partial<Settings> = {}): Item[] {
  const { orders } = generatorNames().find(({ name }) => name === source)!;
  const usual = { source, orders: [...orders], dropShortcutRight: 0, reentry: false };
  return generateDataset({ ...usual, count, seed, ...changes });
}
