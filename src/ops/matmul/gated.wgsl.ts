/**
 * Gated products (`swiglu/`). W holds the rows of two projections, and each output is y = silu(gate) * up. The
 * invocation that writes y needs both sums, so each block of four columns uses two rows of the first half of W and the
 * matching two rows of the second half. The terms and their order equal those of the ungated product followed by a
 * separate activation kernel.
 */

/** For kernels whose `uniforms.n` is the number of rows of W. */
export const GATED = `
fn source_row(column: u32) -> u32 {
  let width = uniforms.n / 2u;
  let pair = min((column >> 2u) * 2u + (column & 1u), width - 1u);
  return select(pair, pair + width, (column & 2u) != 0u);
}
fn gated(gate: f32, up: f32) -> f32 { return gate / (1.0 + exp(-gate)) * up; }`;

/** WGSL expression: the row of W for a column of a product's tiles. */
export const sourceRow = (column: string): string => `source_row(${column})`;

/** Tile columns for a W with `rows` rows. An odd number of pairs is padded by one pair. */
export const gatedColumns = (rows: number): number => 4 * Math.ceil(rows / 4);
