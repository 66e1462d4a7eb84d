/** Rows of attention: which row attends to which. */

/** How the branches hang on their prompts: group g owns branches g * samples to (g + 1) * samples - 1. */
export interface Branches {
  samples: number;
  /** Real tokens of each group's prompt part; the rest is padding on the right. */
  prefixLengths: readonly number[];
}

/** How rows stand for prompts and branches: all prompts' rows, padded to one length, and then all branches', likewise. */
export interface BranchLayout {
  /** Branches, and the padded length of each. */
  batch: number;
  length: number;
  prompts: { length: number; branches: Branches };
}

/** Columns of `spans`, one line per row. */
export const SPAN = 6;

/**
 * For every row: first row and end of its own sequence, first row and end of its prompt (both 0 where it has none), and
 * first row and end of its branches (both 0 where it is no real row of a prompt). [rows * 6] int32
 */
export function rowSpans({ batch, length, prompts }: BranchLayout): Int32Array {
  const { branches, length: prefix } = prompts;
  const groups = branches.prefixLengths.length;
  const promptRows = groups * prefix;
  const spans = new Int32Array((promptRows + batch * length) * SPAN);
  branches.prefixLengths.forEach((real, group) => {
    const firstBranch = promptRows + group * branches.samples * length;
    for (let t = 0; t < prefix; t++) {
      const row = group * prefix + t;
      const attended = t < real ? [firstBranch, firstBranch + branches.samples * length] : [0, 0];
      spans.set([group * prefix, (group + 1) * prefix, 0, 0, ...attended], row * SPAN);
    }
  });
  for (let branch = 0; branch < batch; branch++) {
    const group = Math.floor(branch / branches.samples);
    const start = promptRows + branch * length;
    const prompt = [group * prefix, group * prefix + branches.prefixLengths[group]];
    for (let t = 0; t < length; t++) {
      spans.set([start, start + length, ...prompt, 0, 0], (start + t) * SPAN);
    }
  }
  return spans;
}

/** Queries with the keys that they attend to, padding included. */
export function pairsOf({ batch, length, prompts: { length: prefix, branches } }: BranchLayout): number {
  const groups = branches.prefixLengths.length;
  return (groups * prefix * prefix) / 2 + batch * length * (prefix + length / 2);
}
