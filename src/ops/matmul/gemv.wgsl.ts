/**
 * y = scale * x Wᵀ + bias + residual + an adapter's part, for few rows of x, where reading W is all the time goes to:
 * decoding. Invocations go along the inputs together, so that neighbours read neighbouring words of W and of x. Each
 * sums its share for a block of `rows` x 4 of y in registers, with no barrier on the way, and the shares are added in
 * order through workgroup memory.
 *
 * Up to 16 rows one block takes them all, and every word of W is read once. Beyond, the rows are cut into blocks too.
 * This is how an output too small to fill a GPU is computed in one dispatch: many invocations share its long sums,
 * where a tile (matmul.wgsl.ts) would have few workgroups, or parts that another dispatch adds up.
 */
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, memoize } from '../../gpu/kernel';
import { ADDED_UNIFORMS } from './added.wgsl';
import { addShares, leaveShare, shareCount, type SummingGroup } from '../lib/group-sum.wgsl';
import type { LowRankVariant } from './low-rank.wgsl';
import { lowRankSource } from './low-rank.wgsl';
import type { WeightFormat } from '../lib/weight-load.wgsl';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

/** How one workgroup covers y. */
export interface SharedTile {
  kind: 'shared';
  /** Rows of y per block, a power of two up to 16. */
  rows: number;
  /** Outputs per block. */
  columns: typeof OUTPUTS;
  /** Blocks of a workgroup along the outputs and along the rows. */
  across: number;
  down: number;
  /** Invocations that share each sum. */
  lanes: number;
}

export interface GemvVariant {
  tile: SharedTile;
  /** Of `tile.lanes` invocations. */
  sharing: SummingGroup;
  format: WeightFormat;
  alignedX: boolean;
  alignedW: boolean;
  /** Whether a bias is added beside a residual; one of the two alone is `added` (added.wgsl.ts). */
  bias: boolean;
  lowRank: LowRankVariant;
}

/** Outputs of one block. */
const OUTPUTS = 4;
/** Most rows of one block of 64 lanes: its partial sums fill 16 KiB of workgroup memory. */
export const MOST_ROWS = 16;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Workgroups of a product. */
export function sharedGroups(
  { rows, columns, across, down }: SharedTile,
  m: number,
  n: number,
): { rowGroups: number; count: number } {
  const rowGroups = Math.ceil(m / (rows * down));
  return { rowGroups, count: rowGroups * Math.ceil(n / (columns * across)) };
}

/**
 * Inputs `x`, `w`, `added` and, as the variant says, `scales`, `bias`, `inner`, `outer`; output `y`. Workgroups along
 * a folded x, those of the same outputs side by side, so that the caches hold their part of W.
 */
export const gemvKernel = memoize((variant: GemvVariant): Kernel => {
  const { tile, sharing, format, alignedX, alignedW, bias } = variant;
  const { rows, across, down, lanes } = tile;
  const blocks = across * down;
  const shares = shareCount(sharing);
  const sums = rows * OUTPUTS;
  const lowRank = lowRankSource(variant.lowRank);
  return defineKernel({
    name: `few rows ${rows}x${across}x${down}x${lanes} ${format}`,
    inputs: {
      x: storedAs('f32', alignedX),
      w: storedAs(format, alignedW),
      ...(format === 'int8' ? { scales: 'f32' as const } : {}),
      added: 'f32',
      ...(bias ? { bias: 'f32' as const } : {}),
      ...lowRank.inputs,
    },
    outputs: { y: 'f32' },
    uniforms: {
      rows: 'u32',
      outputs: 'u32',
      inputs: 'u32',
      row_groups: 'u32',
      scale: 'f32',
      group: 'u32',
      groups: 'u32',
      ...ADDED_UNIFORMS,
      ...lowRank.uniforms,
    },
    workgroupSize: [lanes, blocks, 1],
    subgroups: sharing.subgroupSize > 0,
    declarations: [
      loadFour('x', 'f32', alignedX, 'uniforms.inputs'),
      loadFour('w', format, alignedW, 'uniforms.inputs'),
      lowRank.declarations,
      `var<workgroup> shares: array<f32, ${blocks * sums * shares}>;`,
    ].join('\n'),
    body: `
      let at = group.y * groups.x + group.x;
      let group_row = (at % uniforms.row_groups) * ${rows * down}u;
      let group_column = (at / uniforms.row_groups) * ${OUTPUTS * across}u;
      let first_row = group_row + local.y / ${across}u * ${rows}u;
      let first_column = group_column + local.y % ${across}u * ${OUTPUTS}u;
      ${range(sums)
        .map((i) => `var s${i} = 0.0;`)
        .join(' ')}
      for (var k = local.x * 4u; k < uniforms.inputs; k += ${lanes * 4}u) {
        ${range(OUTPUTS)
          .map((j) => `let w${j} = load_w(min(first_column + ${j}u, uniforms.outputs - 1u), k);`)
          .join('\n')}
        ${range(rows)
          .map(
            (r) => `{ let v = load_x(min(first_row + ${r}u, uniforms.rows - 1u), k);
            ${range(OUTPUTS)
              .map((j) => `s${r * OUTPUTS + j} += dot(v, w${j});`)
              .join(' ')} }`,
          )
          .join('\n')}
      }
      ${range(sums)
        .map((i) => leaveShare(sharing, 'shares', `(local.y * ${sums}u + ${i}u) * ${shares}u`, `s${i}`))
        .join('\n')}
      workgroupBarrier();
      for (var i = lane; i < ${blocks * sums}u; i += ${lanes * blocks}u) {
        let block = i / ${sums}u;
        let row = group_row + block / ${across}u * ${rows}u + i % ${sums}u / ${OUTPUTS}u;
        let output = group_column + block % ${across}u * ${OUTPUTS}u + i % ${OUTPUTS}u;
        if (row >= uniforms.rows || output >= uniforms.outputs) { continue; }
        var sum = 0.0;
        ${addShares(sharing, 'shares', `i * ${shares}u`, 'sum')}
        sum *= uniforms.scale;
        ${bias ? 'sum += bias[output];' : ''}
        if (uniforms.adds != 0u) { sum += added[uniforms.added_stride * row + output]; }
        ${variant.lowRank ? 'sum += low_rank(row, output);' : ''}
        y[row * uniforms.outputs + output] = sum;
      }`,
  });
});
