/** Epilogue of a product kernel: each invocation writes its block of C. */
import { sourceRow } from './gated.wgsl';
import { lowRankBlock } from './low-rank.wgsl';
import { range, type MatmulVariant } from './variant';

/**
 * Writes the block with scale, bias, residual and the adapter's part. Each part of a split contraction writes a
 * separate C.
 */
export function store(variant: MatmulVariant): string {
  const { tile, alignedC, bias, lowRank } = variant;
  if (variant.gated) return storeGated(variant);
  const lines = ['let part_offset = group.z * uniforms.m * uniforms.n;'];
  if (lowRank?.blocks) {
    for (const j of range(tile.columns / 4)) {
      const first = `min(first_column + ${4 * j}u, uniforms.n - 4u)`;
      const columns = range(4).map((z) => `${first} + ${z}u`);
      lines.push(lowRankBlock(tile.rows, j, columns));
    }
  }
  for (const i of range(tile.rows)) {
    lines.push(`if (first_row + ${i}u < uniforms.m) {`);
    lines.push(`let row = part_offset + (first_row + ${i}u) * uniforms.n;`);
    for (const j of range(tile.columns / 4)) {
      const column = `(first_column + ${4 * j}u)`;
      lines.push(`if (${column} < uniforms.n) {`, `var value = uniforms.scale * c${i}_${j};`);
      if (lowRank?.blocks) {
        lines.push(`value += l${i}_${j};`);
      } else if (lowRank) {
        const parts = range(4).map(
          (z) => `low_rank(first_row + ${i}u, min(${column} + ${z}u, uniforms.n - 1u))`,
        );
        lines.push(`value += vec4<f32>(${parts.join(', ')});`);
      }
      const first = `uniforms.added_stride * (first_row + ${i}u) + ${column}`;
      if (alignedC) {
        lines.push(
          bias ? `value += bias[${column} >> 2u];` : '',
          `if (uniforms.adds != 0u) { value += added[(${first}) >> 2u]; }`,
          `c[(row + ${column}) >> 2u] = value;`,
        );
      } else {
        for (const z of range(4)) {
          lines.push(
            `if (${column} + ${z}u < uniforms.n) {`,
            bias ? `value[${z}] += bias[${column} + ${z}u];` : '',
            `if (uniforms.adds != 0u) { value[${z}] += added[${first} + ${z}u]; }`,
            `c[row + ${column} + ${z}u] = value[${z}];`,
            '}',
          );
        }
      }
      lines.push('}');
    }
    lines.push('}');
  }
  return lines.join('\n');
}

/** `store` for a gated product. A block of four sums holds two gates and their two up values. */
function storeGated({ tile, lowRank }: MatmulVariant): string {
  const lines = ['let width = uniforms.n / 2u;'];
  if (lowRank) {
    for (const j of range(tile.columns / 4)) {
      const columns = range(4).map((z) => sourceRow(`first_column + ${4 * j + z}u`));
      lines.push(lowRankBlock(tile.rows, j, columns, 2));
    }
  }
  for (const i of range(tile.rows)) {
    lines.push(`if (first_row + ${i}u < uniforms.m) {`);
    for (const j of range(tile.columns / 4)) {
      const column = `first_column + ${4 * j}u`;
      lines.push('{', `var value = uniforms.scale * c${i}_${j};`);
      if (lowRank) lines.push(`value += l${i}_${j};`);
      lines.push(`let at = (${column}) >> 1u;`);
      for (const z of range(2)) {
        lines.push(
          `if (at + ${z}u < width) { c[(first_row + ${i}u) * width + at + ${z}u] = gated(value[${z}], value[${z + 2}]); }`,
        );
      }
      lines.push('}');
    }
    lines.push('}');
  }
  return lines.join('\n');
}
