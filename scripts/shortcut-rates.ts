/**
 * How often a shortcut (a rule that tracks no belief) is right on generated stories, order by order in percent: rows for
 * the table in docs/tasks.md, one for each shortcut that the items name. Order 0 asks no belief and has none.
 *
 *   npx tsx scripts/shortcut-rates.ts sally [tomi …] [--items 10000] [--seed 0] [--reentry] [--rho 0.81]
 */
import { parseArgs } from 'node:util';
import { generateDataset, generatorNames } from '../src/tom/generate';

const { values, positionals: sources } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '0' },
    reentry: { type: 'boolean', default: false },
    rho: { type: 'string', default: '0.2' },
  },
});
const count = Number(values.items);
const dials = { reentry: values.reentry, rho: Number(values.rho), dropShortcutRight: 0 };

/** Percent of `count` items of one order that each shortcut answers rightly. */
function ratesOf(source: string, order: number): Map<string, number> {
  const items = generateDataset({ ...dials, source, orders: [order], count, seed: Number(values.seed) });
  const names = new Set(items.flatMap(({ shortcuts }) => Object.keys(shortcuts)));
  const right = (name: string): number =>
    items.filter(({ shortcuts, answer }) => shortcuts[name] === answer).length;
  return new Map([...names].map((name) => [name, (100 * right(name)) / count]));
}

for (const source of sources) {
  // A source that there is not is named by generateDataset.
  const orders = generatorNames().find(({ name }) => name === source)?.orders ?? [1];
  const rates = [1, 2, 3, 4].map((order) =>
    orders.includes(order) ? ratesOf(source, order) : new Map<string, number>(),
  );
  const names = new Set(rates.flatMap((ofOrder) => [...ofOrder.keys()]));
  if (names.size === 0) console.log(`${source}: no item names a shortcut.`);
  for (const name of names) {
    const cells = rates.map((ofOrder) => ofOrder.get(name)?.toFixed(0) ?? '');
    console.log(`| \`${source}\` | \`${name}\` | ${cells.join(' | ')} |`);
  }
}
