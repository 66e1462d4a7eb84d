/**
 * Epilogue of a product kernel: each invocation writes its block of C.
 *
 * Terms may be added to the finished product: a residual of its shape, or a bias that is the same for every row. One
 * binding and a uniform cover a residual, a bias and neither, so each tile compiles once for all three cases.
 *
 * In a gated product (`swiglu/`) W holds the rows of two projections, and each output is y = silu(gate) * up. The
 * invocation that writes y needs both sums, so each block of four columns uses two rows of the first half of W and the
 * matching two rows of the second half. The terms and their order equal those of the ungated product followed by a
 * separate activation kernel.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { lowRankBlock } from './low-rank.wgsl';
import { range, type MatmulVariant } from './variant';

/**
 * Writes the block with scale, bias or residual, and the adapter's part. Each part of a split contraction writes a
 * separate C.
 */
export function store(variant: MatmulVariant): string {
  const { tile, aligned, lowRank } = variant;
  if (variant.gated) return storeGated(variant);
  const lines = ['let part_offset = group.z * uniforms.m * uniforms.n;'];
  if (lowRank?.blocks) {
    const columns = range(4).map((z) => `min(first_column, uniforms.n - 4u) + ${z}u`);
    lines.push(lowRankBlock(tile.rows, columns));
  }
  for (const i of range(tile.rows)) {
    lines.push(
      `if (first_row + ${i}u < uniforms.m) {`,
      `let row = part_offset + (first_row + ${i}u) * uniforms.n;`,
      'if (first_column < uniforms.n) {',
      `var value = uniforms.scale * c${i};`,
    );
    if (lowRank?.blocks) {
      lines.push(`value += l${i};`);
    } else if (lowRank) {
      const parts = range(4).map(
        (z) => `low_rank(first_row + ${i}u, min(first_column + ${z}u, uniforms.n - 1u))`,
      );
      lines.push(`value += vec4<f32>(${parts.join(', ')});`);
    }
    const first = `uniforms.added_stride * (first_row + ${i}u) + first_column`;
    if (aligned.n) {
      lines.push(
        `if (uniforms.adds != 0u) { value += added[(${first}) >> 2u]; }`,
        'c[(row + first_column) >> 2u] = value;',
      );
    } else {
      for (const z of range(4)) {
        lines.push(
          `if (first_column + ${z}u < uniforms.n) {`,
          `if (uniforms.adds != 0u) { value[${z}] += added[${first} + ${z}u]; }`,
          `c[row + first_column + ${z}u] = value[${z}];`,
          '}',
        );
      }
    }
    lines.push('}', '}');
  }
  return lines.join('\n');
}

/** `store` for a gated product. A block of four sums holds two gates and their two up values. */
function storeGated({ tile, lowRank }: MatmulVariant): string {
  const lines = ['let width = uniforms.n / 2u;', 'let at = first_column >> 1u;'];
  if (lowRank) {
    const columns = range(4).map((z) => sourceRow(`first_column + ${z}u`));
    lines.push(lowRankBlock(tile.rows, columns, 2));
  }
  for (const i of range(tile.rows)) {
    lines.push(`if (first_row + ${i}u < uniforms.m) {`, `var value = uniforms.scale * c${i};`);
    if (lowRank) lines.push(`value += l${i};`);
    for (const z of range(2)) {
      lines.push(
        `if (at + ${z}u < width) { c[(first_row + ${i}u) * width + at + ${z}u] = gated(value[${z}], value[${z + 2}]); }`,
      );
    }
    lines.push('}');
  }
  return lines.join('\n');
}

/** Functions of a gated product, for kernels whose `uniforms.n` is the number of rows of W. */
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

/** Flag for an added term, and its row stride in elements: 0 for a bias. */
export const ADDED_UNIFORMS = { adds: 'u32', added_stride: 'u32' } as const;

/** At most one of the two. */
export interface Added {
  /** [columns] */
  bias?: tf.Tensor;
  /** [rows, columns] */
  residual?: tf.Tensor;
}

export const addedInputs = ({ bias, residual }: Added): Record<string, tf.Tensor | null> => ({
  added: residual ?? bias ?? null,
});

export function addedUniforms({ bias, residual }: Added, columns: number): Record<string, number> {
  return { adds: residual || bias ? 1 : 0, added_stride: residual ? columns : 0 };
}
