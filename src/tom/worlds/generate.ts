/**
 * Generates data sets from seeds. An item is a pure function of (specification, seed, index): a trainer draws the items
 * of step s by an offset, in any order and after any resume, and gets the same ones.
 */
import { MarbleError } from '../../base/error';
import { checkKeys } from '../../base/known-keys';
import { createRandom, type Random } from '../../base/random';
import { drawExploreToMItem } from './exploretom';
import { drawHiTomItem, drawShortHiTomItem } from './hitom';
import { isEasy, type DataSpec, type Item } from '../item';
import { isWorldName, roomsDefaults, roomsRanges, worldOrders, type WorldName } from './orders';
import { drawRoomsItem } from './rooms';
import { drawSwapWorld, swapDefaults, swapEventRange, swapItem } from './swap';
import { drawToMiItem } from './tomi';
import { drawWhoKnowsItem } from './who-knows';

/** Separates these draws from every other use of the same seed. */
const STREAM = 0x746f6d;
/** Maximum draws for one item. If all are dropped, the shortcut is always right on the requested questions. */
const MOST_DRAWS = 10_000;

interface Generator {
  /** The data set of the items, if it differs from the generator's name. */
  dataset?: WorldName;
  /** Minimum and maximum of each supported setting; whole numbers except for `rho`. */
  ranges?: Readonly<Partial<Record<Dial, readonly [number, number]>>>;
  /** Items 2n and 2n + 1 ask about one story: both have the same draws, and `part` is 0 or 1. */
  isPaired?: true;
  draw(random: Random, order: number, id: string, spec: DataSpec, part: number): Item;
}

/** Draws from other generators in a fixed cycle, so that each has its exact share of a set. */
interface Mix {
  cycle: readonly WorldName[];
  /** Places of the cycle that ask after reality; all others then ask after beliefs. Without it each place asks either. */
  factual?: readonly number[];
}

type Dial = 'rho' | 'events' | 'people' | 'containers' | 'moves';

const generators: Record<WorldName, Generator | Mix> = {
  swap: {
    ranges: { rho: [0, 1], events: [swapEventRange.least, swapEventRange.most] },
    draw: (random, order, id, { rho = swapDefaults.rho, events = swapDefaults.events, reentry }) =>
      swapItem(drawSwapWorld(random, order, { rho, events, reentry }), id),
  },
  hitom: { draw: drawHiTomItem },
  /** For models with a word-level vocabulary: one chapter, with the names and things of the published stories. */
  'hitom-short': { dataset: 'hitom', draw: drawShortHiTomItem },
  tomi: { draw: drawToMiItem },
  exploretom: { draw: (random, order, id) => drawExploreToMItem(random, order, id, false) },
  'exploretom-infilled': { draw: (random, order, id) => drawExploreToMItem(random, order, id, true) },
  /** ToM-RL's mix of 2,000 Hi-ToM items and 1,200 ExploreToM items: five to three. */
  'hitom-exploretom': {
    cycle: ['hitom', 'exploretom', 'hitom', 'hitom', 'exploretom', 'hitom', 'exploretom', 'hitom'],
  },
  rooms: {
    ranges: roomsRanges,
    draw: (random, order, id, spec) => {
      const defaults = roomsDefaults;
      const { rho = defaults.rho, people = defaults.people } = spec;
      const { containers = defaults.containers, moves = defaults.moves } = spec;
      return drawRoomsItem(random, order, id, { rho, people, containers, moves });
    },
  },
  'who-knows': { isPaired: true, draw: (random, _, id, __, part) => drawWhoKnowsItem(random, id, part) },
  // Pairs stay together where each set has two places in a row, from an even one on.
  'hitom-who-knows': { cycle: ['hitom', 'hitom', 'who-knows', 'who-knows'] },
  'exploretom-who-knows': { cycle: ['exploretom', 'exploretom', 'who-knows', 'who-knows'] },
  'hitom-exploretom-who-knows': {
    cycle: ['hitom', 'hitom', 'exploretom', 'exploretom', 'who-knows', 'who-knows'],
  },
  /** Seven questions after beliefs to three after reality. */
  'hitom-short-factual': { cycle: Array<WorldName>(10).fill('hitom-short'), factual: [1, 4, 8] },
};

/** The generators by name, with the orders that each supports and the data sets of its items. */
export function generatorNames(): { name: string; orders: readonly number[]; datasets: readonly string[] }[] {
  return Object.keys(generators)
    .filter(isWorldName)
    .map((name) => ({ name, orders: worldOrders[name], datasets: [...new Set(datasetsOf(name))] }));
}

function datasetsOf(name: WorldName): readonly WorldName[] {
  const generator = generators[name];
  return 'cycle' in generator ? generator.cycle.flatMap(datasetsOf) : [generator.dataset ?? name];
}

const SPEC = {
  ...{ source: true, orders: true, dropShortcutRight: true, reentry: true, rho: true, events: true },
  ...{ people: true, containers: true, moves: true },
  ...{ count: true, seed: true, offset: true },
} as const;

/**
 * Items `offset` to `offset + count - 1` of the endless data set defined by the specification and the seed.
 *
 * @throws `tom/unknown-source`, `tom/bad-orders`, `tom/bad-spec`, `tom/shortcut-always-right`
 */
export function generateDataset(spec: DataSpec & { count: number; seed: number; offset?: number }): Item[] {
  checkKeys('generateDataset', spec, SPEC);
  const name = nameOf(spec.source);
  checkSpec(spec, worldOrders[name]);
  checkDials(spec, generators[name]);
  const offset = spec.offset ?? 0;
  return Array.from({ length: spec.count }, (_, index) => drawItem(name, spec, offset + index));
}

/** Draws the data set first, then the order, so that a data set without some order keeps its share of the items. */
function drawItem(name: WorldName, spec: DataSpec & { seed: number }, index: number): Item {
  const generator = generators[name];
  if ('cycle' in generator) {
    const ordersOf = (part: WorldName): number[] =>
      spec.orders.filter((order) => (worldOrders[part] as readonly number[]).includes(order));
    const parts = generator.cycle.filter((part) => ordersOf(part).length > 0);
    const place = index % parts.length;
    const part = parts[place];
    return drawItem(part, { ...spec, orders: ordersAt(generator, place, ordersOf(part)) }, index);
  }
  const part = generator.isPaired ? index % 2 : 0;
  const random = createRandom(spec.seed, STREAM, index - part);
  const id = `${spec.source}-${spec.seed}-${index}`;
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const item = generator.draw(random, random.choice(spec.orders), id, spec, part);
    if (isEasy(item) !== true || random.uniform() >= spec.dropShortcutRight) return item;
  }
  throw new MarbleError(
    'tom/shortcut-always-right',
    `dropShortcutRight is ${spec.dropShortcutRight}, but the shortcut answers every question of order ${spec.orders.join(', ')}.`,
    'Ask for orders 1 to 3 as well, allow re-entry, or lower dropShortcutRight.',
  );
}

/** Orders of the place's kind, or all orders if none has that kind. */
function ordersAt({ factual }: Mix, place: number, orders: number[]): number[] {
  if (factual === undefined) return orders;
  const ofKind = orders.filter((order) => (order === 0) === factual.includes(place));
  return ofKind.length === 0 ? orders : ofKind;
}

function nameOf(source: string): WorldName {
  if (isWorldName(source)) return source;
  throw new MarbleError(
    'tom/unknown-source',
    `There is no generator named "${source}".`,
    `Use one of: ${Object.keys(generators).join(', ')}.`,
  );
}

function checkSpec(
  spec: DataSpec & { count: number; seed: number; offset?: number },
  orders: readonly number[],
): void {
  if (spec.orders.length === 0 || !spec.orders.every((order) => orders.includes(order))) {
    throw new MarbleError(
      'tom/bad-orders',
      `"${spec.source}" does not support orders [${spec.orders.join(', ')}].`,
      `Choose at least one of ${orders.join(', ')}.`,
    );
  }
  const whole = (value: number, bound: number): boolean =>
    Number.isInteger(value) && value >= 0 && value <= bound;
  const last = (spec.offset ?? 0) + spec.count;
  const probability = spec.dropShortcutRight;
  const inRange =
    whole(spec.count, 1_000_000) &&
    whole(spec.seed, 0xffffffff) &&
    whole(last, 0xffffffff) &&
    probability >= 0 &&
    probability <= 1;
  if (!inRange) {
    throw new MarbleError(
      'tom/bad-spec',
      `Cannot make ${spec.count} items from ${spec.offset ?? 0} with seed ${spec.seed} and dropShortcutRight ${probability}.`,
      'Counts are 0 to 1,000,000, the seed an unsigned 32-bit integer, dropShortcutRight 0 to 1.',
    );
  }
}

function checkDials(spec: DataSpec, generator: Generator | Mix): void {
  const ranges = ('cycle' in generator ? undefined : generator.ranges) ?? {};
  for (const name of Object.keys(ranges) as Dial[]) {
    const [least, most] = ranges[name]!;
    const value = spec[name] ?? least;
    if (value >= least && value <= most && (name === 'rho' || Number.isInteger(value))) continue;
    throw new MarbleError(
      'tom/bad-spec',
      `Cannot make ${spec.source} stories with ${name} ${value}.`,
      `Set ${name} to a ${name === 'rho' ? '' : 'whole '}number from ${least} to ${most}.`,
    );
  }
}
