/**
 * Tile of a matrix product, chosen by rule from its shape and the kind of adapter. Different tiles add in different
 * orders, so a change of the rule changes the bits of a run.
 */
import type { AdapterTraits } from '../../gpu/capabilities';
import { MOST_ROWS, sharedGroups, type SharedTile } from './gemv.wgsl';
import { reduceThreads } from '../lib/reduce.wgsl';
import { COLUMNS, STAGED, type Direction, type Tile } from './variant';

/** `skinny` is gemv.wgsl.ts with one block of all rows (`blockOfRows`). */
export type TileChoice = Tile | SharedTile | 'skinny';

export interface ProductShape {
  direction: Direction;
  m: number;
  n: number;
  k: number;
}

const REGISTER_TILES: readonly Tile[] = [
  { kind: 'register', rows: 4, across: 16, down: 1 }, // 4 x 64
  { kind: 'register', rows: 4, across: 16, down: 4 }, // 16 x 64
  { kind: 'register', rows: 4, across: 8, down: 8 }, // 32 x 32
];
const WORKGROUP_TILES: readonly Tile[] = [
  { kind: 'workgroup', rows: 4, across: 16, down: 4 }, // 16 x 64
  { kind: 'workgroup', rows: 4, across: 16, down: 8 }, // 32 x 64
  { kind: 'workgroup', rows: 4, across: 16, down: 16 }, // 64 x 64
  { kind: 'workgroup', rows: 8, across: 16, down: 16 }, // 128 x 64
];

/** Tiles with at most 16 KiB of partial sums. */
const SHARED_TILES: Record<'thin' | 'wide', SharedTile> = {
  /** For outputs that otherwise cannot fill a GPU, such as an adapter's inner ones. */
  thin: { kind: 'shared', rows: 4, across: 1, down: 1, lanes: 64 }, // 4 x 4
  wide: { kind: 'shared', rows: 8, across: 2, down: 4, lanes: 16 }, // 32 x 8
};

/** The block of a product of at most `MOST_ROWS` rows. */
export function blockOfRows(rows: number, traits: AdapterTraits): SharedTile {
  const most = 2 ** Math.ceil(Math.log2(rows));
  return { kind: 'shared', rows: most, across: 1, down: 1, lanes: reduceThreads(traits) };
}

/** Bytes of workgroup memory of a workgroup tile. At most the 16 KiB of every device for all but the tallest. */
const stagedBytes = ({ rows, across, down }: Tile): number => (rows * down + COLUMNS * across) * STAGED * 4;

export function chooseTile(shape: ProductShape, traits: AdapterTraits): TileChoice {
  const { direction, m, n } = shape;
  if (direction === 'nt' && m <= (traits.isSoftware ? 2 : 8)) return 'skinny';
  if (traits.isSoftware) return REGISTER_TILES[m <= 4 ? 0 : m <= 16 ? 1 : 2];
  const [short, low, square, tall] = WORKGROUP_TILES;
  const fits = stagedBytes(tall) <= traits.maxWorkgroupBytes;
  const large = m >= 256 && n >= 256 && fits ? [tall, square, low] : [square, low];
  const largestFirst = m <= MOST_ROWS ? [short] : m <= 32 ? [low] : large;
  if (direction !== 'nt') return largestFirst[0];
  return largestFirst.find((tile) => partsToBeBusy(tile, shape) <= 1) ?? sharedTile(shape);
}

/** For outputs whose tiles would leave most of a GPU idle. */
function sharedTile({ m, n }: ProductShape): TileChoice {
  if (m <= MOST_ROWS) return 'skinny';
  const { thin, wide } = SHARED_TILES;
  return sharedGroups(wide, m, n).count >= 32 ? wide : thin;
}

/** Number of parts of a contraction that gives a GPU enough workgroups. */
function partsToBeBusy(tile: Tile, { m, n, k }: ProductShape): number {
  const groups = Math.ceil(m / (tile.rows * tile.down)) * Math.ceil(n / (COLUMNS * tile.across));
  return Math.min(Math.floor(128 / groups), Math.floor(k / (8 * STAGED)), 16);
}

/**
 * Steps of the contraction per part: a multiple of the staged steps and at least eight times as many. Forward products
 * are never split, so decoding takes one dispatch per product at any number of rows. A software adapter gains nothing
 * from more workgroups than cores.
 */
export function partLength(tile: Tile, shape: ProductShape, traits: AdapterTraits): number {
  const { direction, k } = shape;
  if (direction === 'nt' || traits.isSoftware) return k;
  const parts = partsToBeBusy(tile, shape);
  return parts <= 1 ? k : Math.ceil(k / parts / STAGED) * STAGED;
}
