/**
 * Which tile a matrix product takes. The choice by rule is a safe one for the kind of adapter; `tuneTiles` measures
 * the few candidates on the adapter at hand instead, and what it found can be kept under the adapter's name. Other tiles
 * add in another order, so a choice holds for the engine that it was made for and dies with it.
 */
import type { AdapterTraits } from '../../gpu/capabilities';
import { MOST_ROWS, sharedGroups, type SharedTile } from './gemv.wgsl';
import { summingGroup } from '../lib/group-sum.wgsl';
import { STAGED, type Direction, type Tile } from './variant';
import type { WeightFormat } from '../lib/weight-load.wgsl';

/** `few-rows` is gemv.wgsl.ts with one block of all rows (`blockOfRows`); kept runs call it by this word. */
export type TileChoice = Tile | SharedTile | 'few-rows';

/** Choices by `shapeKey`: plain data, for a run's record. */
export type TileChoices = Record<string, TileChoice>;

export interface ProductShape {
  direction: Direction;
  format: WeightFormat;
  m: number;
  n: number;
  k: number;
  /** Whether it is a product forward in f16, which has tiles of its own choice. */
  half?: true;
}

const register = (rows: number, columns: number, across: number, down: number): Tile => ({
  kind: 'register',
  rows,
  columns,
  across,
  down,
});
const workgroup = (rows: number, columns: number, across: number, down: number): Tile => ({
  kind: 'workgroup',
  rows,
  columns,
  across,
  down,
});

const REGISTER_TILES: readonly Tile[] = [
  register(4, 4, 16, 1), // 4 x 64
  register(4, 4, 16, 4), // 16 x 64
  register(4, 4, 8, 8), // 32 x 32
  register(8, 4, 16, 4), // 32 x 64
  register(8, 8, 8, 8), // 64 x 64
];
const WORKGROUP_TILES: readonly Tile[] = [
  workgroup(4, 4, 16, 4), // 16 x 64
  workgroup(4, 4, 16, 8), // 32 x 64
  workgroup(4, 4, 16, 16), // 64 x 64
  workgroup(8, 4, 16, 16), // 128 x 64
];

const shared = (rows: number, across: number, down: number, lanes: number): SharedTile => ({
  kind: 'shared',
  rows,
  columns: 4,
  across,
  down,
  lanes,
});

/** Each with 16 KiB of shares at most. */
const SHARED_TILES = {
  /** For outputs that fill a GPU in no other way, such as an adapter's inner ones. */
  thin: shared(4, 1, 1, 64), // 4 x 4
  wide: shared(8, 4, 4, 8), // 32 x 16
};

/** The block of a product of at most `MOST_ROWS` rows. */
export function blockOfRows(rows: number, traits: AdapterTraits): SharedTile {
  return shared(2 ** Math.ceil(Math.log2(rows)), 1, 1, summingGroup(traits).threads);
}

export function fits(tile: Tile, traits: AdapterTraits): boolean {
  const staged =
    tile.kind === 'register' ? 0 : (tile.rows * tile.down + tile.columns * tile.across) * STAGED * 4;
  return tile.across * tile.down <= traits.maxInvocations && staged <= traits.maxWorkgroupBytes;
}

/** Digits of a tile code, in the base of 36; links hold them, so more are added at the end. */
const CODED: readonly TileChoice[] = [
  ...[...REGISTER_TILES, ...WORKGROUP_TILES].flatMap((tile) => [tile, f16Tile(tile)]),
  'few-rows',
  SHARED_TILES.thin,
  SHARED_TILES.wide,
];

/** The choices of these shapes in a digit each, `-` where the rule chooses: short enough for a link. */
export function tileCode(shapes: readonly ProductShape[], choices: TileChoices): string {
  const digit = (shape: ProductShape): string => {
    const choice = JSON.stringify(choices[shapeKey(shape)]);
    const at = CODED.findIndex((coded) => JSON.stringify(coded) === choice);
    return at === -1 ? '-' : at.toString(36);
  };
  return shapes.map(digit).join('');
}

export function tilesOfCode(shapes: readonly ProductShape[], code: string): TileChoices {
  return Object.fromEntries(
    shapes.flatMap((shape, index) => {
      const choice = CODED[parseInt(code[index] ?? '-', 36)];
      return choice === undefined ? [] : [[shapeKey(shape), choice]];
    }),
  );
}

/** Tuned choices of each open engine, whose traits are an object of its own. */
const tunedFor = new WeakMap<AdapterTraits, Map<string, TileChoice>>();

function tunedOf(traits: AdapterTraits): Map<string, TileChoice> {
  let tuned = tunedFor.get(traits);
  if (!tuned) tunedFor.set(traits, (tuned = new Map<string, TileChoice>()));
  return tuned;
}

/** Above so many rows every tile has work enough, and the same is fastest. */
const MOST_ROWS_APART = 512;

/** Most rows at which shared sums are timed: beyond, a product is bound by arithmetic, where tiles win. */
const MOST_ROWS_SHARED = 128;

/** Shapes that share a choice: rows (for `tn` steps of the contraction) in powers of two, up to `MOST_ROWS_APART`. */
export function shapeKey({ direction, format, m, n, k, half }: ProductShape): string {
  const bucket = (rows: number): number =>
    Math.min(MOST_ROWS_APART, 2 ** Math.ceil(Math.log2(Math.max(1, rows))));
  const size = direction === 'tn' ? `${m}x${n}x${bucket(k)}` : `${bucket(m)}x${n}x${k}`;
  return `${direction} ${half ? 'f16' : format} ${size}`;
}

export function rememberTile(shape: ProductShape, choice: TileChoice, traits: AdapterTraits): void {
  tunedOf(traits).set(shapeKey(shape), choice);
}

export function tunedTiles(traits: AdapterTraits): TileChoices {
  return Object.fromEntries(tunedOf(traits));
}

/**
 * Takes over choices that were tuned before. What no kernel of that direction knows or this adapter cannot run is left
 * out: its shape takes the choice by rule.
 */
export function restoreTiles(choices: TileChoices, traits: AdapterTraits): void {
  const { thin, wide } = SHARED_TILES;
  const tiles = [...REGISTER_TILES, ...WORKGROUP_TILES].filter((tile) => fits(tile, traits));
  for (const [key, choice] of Object.entries(choices)) {
    const halves = traits.f16.some((format) => key.startsWith(`nn ${format} `)) ? tiles.map(f16Tile) : [];
    const sharing = key.startsWith('nt ') ? (['few-rows', thin, wide] as const) : [];
    const known = [...sharing, ...tiles, ...halves].find(
      (tile) => JSON.stringify(tile) === JSON.stringify(choice),
    );
    if (known) tunedOf(traits).set(key, known);
  }
}

/** The tile with f16 factors. */
export function f16Tile(tile: Tile): Tile {
  return { ...tile, half: true };
}

/** The same choice with f16 factors, where these are used: for gradients by the input on an adapter that passed. */
export function f16Form(
  choice: TileChoice,
  { direction, format }: ProductShape,
  traits: AdapterTraits,
): Tile | null {
  if (direction !== 'nn' || !traits.f16.includes(format)) return null;
  return choice === 'few-rows' || choice.kind === 'shared' ? null : f16Tile(choice);
}

/** What is worth timing for a shape: the rule's choice, then the others. */
export function candidates(shape: ProductShape, traits: AdapterTraits): TileChoice[] {
  // workgroup memory is ordinary memory on a software adapter: staging there only costs
  const kinds = traits.isSoftware ? REGISTER_TILES : [...REGISTER_TILES, ...WORKGROUP_TILES];
  const tiles = kinds.filter((tile) => fits(tile, traits));
  const sensible = tiles.filter((tile) => tile.rows * tile.down <= Math.max(32, 2 * shape.m));
  const all: TileChoice[] = [...sharing(shape, traits), ...sensible];
  const rule = ruleOf(shape, traits);
  return [rule, ...all.filter((tile) => tile !== rule)];
}

/** What shares sums among invocations: worth timing as long as reading W takes longer than multiplying. */
function sharing({ direction, m }: ProductShape, { isSoftware }: AdapterTraits): TileChoice[] {
  if (direction !== 'nt') return [];
  if (m <= MOST_ROWS) return ['few-rows'];
  return isSoftware || m > MOST_ROWS_SHARED ? [] : [SHARED_TILES.thin, SHARED_TILES.wide];
}

export function chooseTile(shape: ProductShape, traits: AdapterTraits): TileChoice {
  return tunedOf(traits).get(shapeKey(shape)) ?? ruleOf(shape, traits);
}

function ruleOf(shape: ProductShape, traits: AdapterTraits): TileChoice {
  const { direction, m, n } = shape;
  if (direction === 'nt' && m <= (traits.isSoftware ? 2 : 8)) return 'few-rows';
  if (traits.isSoftware) return REGISTER_TILES[m <= 4 ? 0 : m <= 16 ? 1 : 2];
  const [short, low, square, tall] = WORKGROUP_TILES;
  const large = m >= 256 && n >= 256 && fits(tall, traits) ? [tall, square, low] : [square, low];
  const largestFirst = m <= MOST_ROWS ? [short] : m <= 32 ? [low] : large;
  if (direction !== 'nt') return largestFirst[0];
  return largestFirst.find((tile) => partsToBeBusy(tile, shape) <= 1) ?? sharedTile(shape);
}

/** For outputs whose tiles would leave most of a GPU without work. */
function sharedTile({ m, n }: ProductShape): TileChoice {
  if (m <= MOST_ROWS) return 'few-rows';
  const { thin, wide } = SHARED_TILES;
  return sharedGroups(wide, m, n).count >= 32 ? wide : thin;
}

/** Into how many parts a contraction is cut so that a GPU has enough workgroups to be busy. */
function partsToBeBusy(tile: Tile, { m, n, k }: ProductShape): number {
  const groups = Math.ceil(m / (tile.rows * tile.down)) * Math.ceil(n / (tile.columns * tile.across));
  return Math.min(Math.floor(128 / groups), Math.floor(k / (8 * STAGED)), 16);
}

/**
 * Steps of the contraction in each part: a multiple of the staged ones and at least eight times as many. Products
 * forward stay whole, so that decoding takes one dispatch for each at any number of rows; and a software adapter has no
 * use for more workgroups than cores.
 */
export function partLength(tile: Tile, shape: ProductShape, traits: AdapterTraits): number {
  const { direction, k } = shape;
  if (direction === 'nt' || traits.isSoftware) return k;
  const parts = partsToBeBusy(tile, shape);
  return parts <= 1 ? k : Math.ceil(k / parts / STAGED) * STAGED;
}
