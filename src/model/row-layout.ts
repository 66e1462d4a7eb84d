import type { Branches } from '../ops/shared-prefix-attention';

/** How the rows of one pass stand for sequences. */
export interface RowLayout {
  /** Sequences, and the padded length of each: the last `batch * length` rows. */
  batch: number;
  length: number;
  /** Prompts that several sequences share, in the rows before: `lengths.length * length` of them. Null: none do. */
  prompts: { length: number; branches: Branches } | null;
  /** Where the padding is left out: the places of the rows that are there among all of them, ascending. */
  places?: readonly number[];
}

/** Rows of a layout with its padding. */
export function paddedRows({ batch, length, prompts }: RowLayout): number {
  return batch * length + (prompts ? prompts.length * prompts.branches.prefixLengths.length : 0);
}
