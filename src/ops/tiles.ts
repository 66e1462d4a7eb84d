/**
 * Which tile a matrix product takes. The choice by rule is a safe one for the kind of adapter; `tuneTiles` measures
 * the few candidates on the adapter at hand instead, and what it found can be kept under the adapter's name.
 */
import { MOST_ROWS } from './few-rows.wgsl';
import type { Direction, Tile } from './matmul.wgsl';
import { STAGED } from './matmul.wgsl';
import type { WeightFormat } from './weight-load.wgsl';

export type TileChoice = Tile | 'few-rows';

export interface ProductShape {
  direction: Direction;
  format: WeightFormat;
  m: number;
  n: number;
  k: number;
}

/** What the rules ask about an adapter. */
export interface AdapterTraits {
  isSoftware: boolean;
  maxWorkgroupBytes: number;
  maxInvocations: number;
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

export function fits(tile: Tile, traits: AdapterTraits): boolean {
  const staged =
    tile.kind === 'register' ? 0 : (tile.rows * tile.down + tile.columns * tile.across) * STAGED * 4;
  return tile.across * tile.down <= traits.maxInvocations && staged <= traits.maxWorkgroupBytes;
}

/** Tuned choices by `shapeKey`. */
const tuned = new Map<string, TileChoice>();

/** Shapes that share a choice: rows in powers of two. */
export function shapeKey({ direction, format, m, n, k }: ProductShape): string {
  const bucket = direction === 'tn' ? m : 2 ** Math.ceil(Math.log2(Math.max(1, m)));
  const steps = direction === 'tn' ? 2 ** Math.ceil(Math.log2(Math.max(1, k))) : k;
  return `${direction} ${format} ${bucket}x${n}x${steps}`;
}

export function rememberTile(shape: ProductShape, choice: TileChoice): void {
  tuned.set(shapeKey(shape), choice);
}

/** All tuned choices, to be kept under the adapter's name. */
export function tunedTiles(): Record<string, TileChoice> {
  return Object.fromEntries(tuned);
}

/** Takes over choices that were tuned on the same adapter before; anything malformed is left out. */
export function restoreTiles(choices: Record<string, TileChoice>): void {
  for (const [key, choice] of Object.entries(choices)) {
    const known = [...REGISTER_TILES, ...WORKGROUP_TILES].find(
      (tile) => JSON.stringify(tile) === JSON.stringify(choice),
    );
    if (choice === 'few-rows' || known) tuned.set(key, choice === 'few-rows' ? choice : known!);
  }
}

export function forgetTiles(): void {
  tuned.clear();
}

/** What is worth timing for a shape. */
export function candidates(shape: ProductShape, traits: AdapterTraits): TileChoice[] {
  // workgroup memory is ordinary memory on a software adapter: staging there only costs
  const kinds = traits.isSoftware ? REGISTER_TILES : [...REGISTER_TILES, ...WORKGROUP_TILES];
  const tiles = kinds.filter((tile) => fits(tile, traits));
  const sensible = tiles.filter((tile) => tile.rows * tile.down <= Math.max(32, 2 * shape.m));
  return shape.direction === 'nt' && shape.m <= MOST_ROWS ? ['few-rows', ...sensible] : sensible;
}

export function chooseTile(shape: ProductShape, traits: AdapterTraits): TileChoice {
  return tuned.get(shapeKey(shape)) ?? ruleOf(shape, traits);
}

function ruleOf({ direction, m, n }: ProductShape, traits: AdapterTraits): TileChoice {
  if (direction === 'nt' && m <= (traits.isSoftware ? 2 : 8)) return 'few-rows';
  if (traits.isSoftware) return REGISTER_TILES[m <= 4 ? 0 : m <= 16 ? 1 : 2];
  const [short, low, square, tall] = WORKGROUP_TILES;
  if (m <= 16) return short;
  if (m <= 32) return low;
  return m >= 256 && n >= 256 && fits(tall, traits) ? tall : square;
}

/**
 * Into how many parts a contraction is cut so that a GPU has enough workgroups to be busy; each part is a multiple of
 * the staged steps and at least eight of them. A software adapter has no use for more workgroups than cores.
 */
export function partLength(tile: Tile, { m, n, k }: ProductShape, traits: AdapterTraits): number {
  if (traits.isSoftware) return k;
  const groups = Math.ceil(m / (tile.rows * tile.down)) * Math.ceil(n / (tile.columns * tile.across));
  const parts = Math.min(Math.floor(128 / groups), Math.floor(k / (8 * STAGED)), 16);
  return parts <= 1 ? k : Math.ceil(k / parts / STAGED) * STAGED;
}
