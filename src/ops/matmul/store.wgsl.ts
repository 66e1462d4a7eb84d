/** Epilogue of a product kernel: each invocation writes its block of C. */
import { sourceRow } from './gated.wgsl';
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
