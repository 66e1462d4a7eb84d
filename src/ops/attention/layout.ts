/** Row layout of attention: which row attends to which. */

/** Assignment of branches to prompts: group g owns branches g * samples to (g + 1) * samples - 1. */
interface Branches {
  samples: number;
  /** Real tokens of each group's prompt. The rest is padding on the right. */
  prefixLengths: readonly number[];
}

/** Row order: all prompts, padded to one length, then all branches, padded to one length. */
export interface BranchLayout {
  /** Padded length of each branch. */
  length: number;
  /** Both lengths are 0 for whole sequences. */
  prompts: { length: number; branches: Branches };
}

/** Sequences without prompts, padded to one length. */
export function wholeSequences(count: number, length: number): BranchLayout {
  const prefixLengths = new Array<number>(count).fill(0);
  return { length, prompts: { length: 0, branches: { samples: 1, prefixLengths } } };
}

/** Number of branches of all prompts. */
export function branchCount({ prompts: { branches } }: BranchLayout): number {
  return branches.prefixLengths.length * branches.samples;
}

/** Number of rows of all prompts and branches, with padding. */
export function paddedRows(layout: BranchLayout): number {
  const { length, prompts } = layout;
  return branchCount(layout) * length + prompts.branches.prefixLengths.length * prompts.length;
}

/** Number of rows of all prompts, without padding. */
export function promptRowsOf({ prompts }: BranchLayout): number {
  return prompts.branches.prefixLengths.reduce((sum, length) => sum + length, 0);
}

/** Columns of `spans`, which has one line per row. */
export const SPAN = 6;

/**
 * Three [first, end) spans per row: its own sequence, its prompt (0, 0 if none) and its branches (0, 0 unless it is a
 * real row of a prompt). [rows * 6] int32
 */
export function rowSpans(layout: BranchLayout): Int32Array {
  const { length, prompts } = layout;
  const { branches, length: prefix } = prompts;
  const groups = branches.prefixLengths.length;
  const promptRows = groups * prefix;
  const spans = new Int32Array(paddedRows(layout) * SPAN);
  branches.prefixLengths.forEach((real, group) => {
    const firstBranch = promptRows + group * branches.samples * length;
    for (let t = 0; t < prefix; t++) {
      const row = group * prefix + t;
      const attended = t < real ? [firstBranch, firstBranch + branches.samples * length] : [0, 0];
      spans.set([group * prefix, (group + 1) * prefix, 0, 0, ...attended], row * SPAN);
    }
  });
  for (let branch = 0; branch < branchCount(layout); branch++) {
    const group = Math.floor(branch / branches.samples);
    const start = promptRows + branch * length;
    const prompt = [group * prefix, group * prefix + branches.prefixLengths[group]];
    for (let t = 0; t < length; t++) {
      spans.set([start, start + length, ...prompt, 0, 0], (start + t) * SPAN);
    }
  }
  return spans;
}

/** Number of query-key pairs that attend, padding included. */
export function pairsOf(layout: BranchLayout): number {
  const { length, prompts } = layout;
  const prefix = prompts.length;
  const groups = prompts.branches.prefixLengths.length;
  return (groups * prefix * prefix) / 2 + branchCount(layout) * length * (prefix + length / 2);
}
