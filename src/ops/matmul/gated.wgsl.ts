/**
 * What makes a product gated (swiglu.ts): W holds the rows of two projections, and of every pair of sums y is
 * silu(gate) * up. Both must be known to the invocation that writes y, so a product's blocks of four columns take two
 * rows of the first half of W and the two beside them in the second half. What is summed, and in which order, is as in the
 * product of all rows, whose sums another kernel would read again.
 */

/** For kernels whose `uniforms.n` is the number of rows of W. */
export const GATED = `
fn source_row(column: u32) -> u32 {
  let width = uniforms.n / 2u;
  let pair = min((column >> 2u) * 2u + (column & 1u), width - 1u);
  return select(pair, pair + width, (column & 2u) != 0u);
}
fn gated(gate: f32, up: f32) -> f32 { return gate / (1.0 + exp(-gate)) * up; }`;

/** WGSL: the row of W whose sum stands in a column of a product's tiles. */
export const sourceRow = (column: string): string => `source_row(${column})`;

/** Columns of the tiles for a W of `rows` rows: one more pair where there are odd ones. */
export const gatedColumns = (rows: number): number => 4 * Math.ceil(rows / 4);
