/** Compile-time variants of the matrix product kernels. */
import type { WeightFormat } from '../lib/weight-load.wgsl';
import type { LowRankVariant } from './low-rank.wgsl';

export type Direction = 'nt' | 'nn' | 'tn';

/** Block layout of one workgroup in C. */
export interface Tile {
  kind: 'register' | 'workgroup';
  /** Rows of C per invocation, a multiple of 4. Its columns are one vector. */
  rows: number;
  /** Invocations of a workgroup along the columns and along the rows of C. */
  across: number;
  down: number;
}

/** Compile-time properties of one kernel. */
export interface MatmulVariant {
  direction: Direction;
  /** Format of B. A is f32. */
  format: WeightFormat;
  tile: Tile;
  /** True for each length that is a multiple of 4. k is the length of the contraction. */
  aligned: Record<'m' | 'n' | 'k', boolean>;
  /**
   * True if workgroups of the same columns are consecutive, so that a cache keeps their part of B. Otherwise workgroups
   * of the same rows are.
   */
  rowsFirst?: true;
  /**
   * True if C is silu of the first half of the columns times the second half. For `nt` only, and only an adapter may be
   * added.
   */
  gated?: true;
  lowRank: LowRankVariant;
}

/** Columns of C per invocation. */
export const COLUMNS = 4;

/** Steps of the contraction that a workgroup tile stages at a time. Parts are multiples of it. */
export const STAGED = 32;

/** The part of `MatmulVariant` that the product itself uses, without the epilogue. */
export type ProductVariant = Pick<
  MatmulVariant,
  'direction' | 'format' | 'tile' | 'aligned' | 'rowsFirst' | 'gated'
>;

/** 0 to `count - 1`. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
