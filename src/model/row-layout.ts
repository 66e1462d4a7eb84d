import type { Branches } from '../ops/shared-prefix-attention';

/** Layout of the rows of one pass: shared prompts first, then sequences. */
export interface RowLayout {
  /** Number of sequences, in the last `batch * length` rows. */
  batch: number;
  /** Padded length of a sequence. */
  length: number;
  /** Shared prompts with their padded length, in the first rows; null if no sequences share a prompt. */
  prompts: { length: number; branches: Branches } | null;
  /** Indices of the rows without padding in the padded layout, ascending; omitted for a padded layout. */
  places?: readonly number[];
}

/** Number of rows of a layout, padding included. */
export function paddedRows({ batch, length, prompts }: RowLayout): number {
  return batch * length + (prompts ? prompts.length * prompts.branches.prefixLengths.length : 0);
}
