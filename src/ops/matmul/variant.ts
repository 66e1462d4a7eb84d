/** What is compiled into a kernel of a matrix product. */
import type { WeightFormat } from '../lib/weight-load.wgsl';
import type { LowRankVariant } from './low-rank.wgsl';

export type Direction = 'nt' | 'nn' | 'tn';

/** How one workgroup covers C. */
export interface Tile {
  kind: 'register' | 'workgroup';
  /** Rows and columns of C per invocation, multiples of 4. */
  rows: number;
  columns: number;
  /** Invocations of a workgroup along the columns and along the rows of C. */
  across: number;
  down: number;
}

/** Everything that is compiled into one kernel. */
export interface MatmulVariant {
  direction: Direction;
  /** Of B; A is f32. */
  format: WeightFormat;
  tile: Tile;
  /** Whether 4 divides the row length of A, of B, and of C. */
  alignedA: boolean;
  alignedB: boolean;
  alignedC: boolean;
  /** Whether 4 does not divide the length of the contraction. */
  ragged: boolean;
  /** Whether the workgroups of the same columns follow one another, so that a cache holds their part of B; else those of the same rows. */
  rowsFirst?: true;
  /** Whether C is silu of the first half of its columns times the second; for `nt` only, with nothing added but an adapter. */
  gated?: true;
  /** Whether a bias is added beside a residual; one of the two alone is `added` (added.wgsl.ts). */
  bias: boolean;
  lowRank: LowRankVariant;
}

/** Steps of the contraction that a workgroup tile stages at a time; parts are multiples of it. */
export const STAGED = 32;

/** What a product needs to know: a `MatmulVariant` without what happens to C afterwards. */
export type ProductVariant = Pick<
  MatmulVariant,
  'direction' | 'format' | 'tile' | 'alignedA' | 'alignedB' | 'ragged' | 'rowsFirst' | 'gated'
>;

/** 0 to `count - 1`. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
