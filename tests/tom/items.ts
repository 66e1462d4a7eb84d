/** Items of the built-in generators, with the data set's default settings and the changes of a test. */
import type { Item } from '../../src/tom/item';
import type { SwapWorld } from '../../src/tom/worlds/swap';
import { generateDataset, generatorNames } from '../../src/tom/worlds/generate';

type Settings = Parameters<typeof generateDataset>[0];

/** Questions of every order that the source supports. */
export function itemsOf(source: string, count: number, seed = 1, changes: Partial<Settings> = {}): Item[] {
  const { orders } = generatorNames().find(({ name }) => name === source)!;
  const usual = { source, orders: [...orders], dropShortcutRight: 0, reentry: false };
  return generateDataset({ ...usual, count, seed, ...changes });
}

/** An item of a data set of the user, without a world. */
export const plainItem = (changes: Partial<Item> = {}): Item => ({
  ...{ id: 'own:1', dataset: 'own', storyId: 's', story: '', question: '', answer: '' },
  order: 1,
  ...changes,
});

/** A story with a return; the answer to "what gus thinks that ann thinks" is the bin. */
export const swapExample: SwapWorld = {
  agents: ['gus', 'ann', 'cat', 'eve'],
  places: ['box', 'jar', 'bin', 'tin', 'bag'],
  object: 'coin',
  start: 'box',
  lines: [
    { act: 'swap', actor: 'ann', places: ['jar', 'box'] },
    { act: 'exited', actor: 'gus' },
    { act: 'swap', actor: 'ann', places: ['bin', 'tin'] },
    { act: 'exited', actor: 'cat' },
    { act: 'entered', actor: 'gus' },
    { act: 'swap', actor: 'gus', places: ['jar', 'bin'] },
    { act: 'exited', actor: 'gus' },
    { act: 'exited', actor: 'ann' },
    { act: 'swap', actor: 'eve', places: ['bin', 'bag'] },
  ],
  chain: ['gus', 'ann'],
};
