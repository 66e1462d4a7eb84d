/**
 * y = scale * x Wᵀ + bias or residual + an adapter's part, for few rows of x (decoding), where reading W dominates the
 * time. Invocations traverse the inputs together, so neighbouring invocations read adjacent words of W and of x. Each
 * accumulates a partial sum for a block of `rows` x 4 of y in registers, without barriers. The partial sums are then
 * added in order through workgroup memory.
 *
 * Up to 16 rows fit in one block, which reads every word of W once. More rows are split into blocks. The same kernel
 * computes in one dispatch an output that is too small to fill a GPU: many invocations share its long sums. A tile
 * (wgsl.ts) would have few workgroups, or would need a second dispatch to add parts.
 */
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, memoize } from '../../gpu/kernel';
import { ADDED_UNIFORMS, GATED, sourceRow } from './store.wgsl';
import { reducePartials } from '../lib/reduce.wgsl';
import type { LowRankVariant } from './low-rank.wgsl';
import { lowRankSource } from './low-rank.wgsl';
import type { WeightFormat } from '../lib/weight-load.wgsl';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';
import { range } from './variant';

/** Block layout of one workgroup in y. */
export interface SharedTile {
  kind: 'shared';
  /** Rows of y per block, a power of two up to 16. */
  rows: number;
  /** Number of blocks of a workgroup along the outputs (`OUTPUTS` each), and along the rows. */
  across: number;
  down: number;
  /** Invocations that share each sum. */
  lanes: number;
}

export interface GemvVariant {
  tile: SharedTile;
  format: WeightFormat;
  /** True if the number of inputs is a multiple of 4. */
  aligned: boolean;
  lowRank: LowRankVariant;
  /** Same meaning as in wgsl.ts. */
  gated?: true;
}

/** Outputs of one block. */
const OUTPUTS = 4;
/** Most rows of a block with 64 lanes. Their partial sums fill 16 KiB of workgroup memory. */
export const MOST_ROWS = 16;

/** Number of workgroups for a product. */
export function sharedGroups(
  { rows, across, down }: SharedTile,
  m: number,
  n: number,
): { rowGroups: number; count: number } {
  const rowGroups = Math.ceil(m / (rows * down));
  return { rowGroups, count: rowGroups * Math.ceil(n / (OUTPUTS * across)) };
}

/**
 * Inputs `x`, `w`, `added` and, depending on the variant, `inner`, `outer`; output `y`. Workgroups lie along a
 * folded x axis. Workgroups for the same outputs are adjacent, so caches keep their part of W.
 */
export const gemvKernel = memoize((variant: GemvVariant): Kernel => {
  const { tile, format, aligned, gated } = variant;
  const { rows, across, down, lanes } = tile;
  const blocks = across * down;
  /** Row of W for a column of the tile. */
  const rowOf: RowOf = (column) =>
    gated ? sourceRow(column) : `min(${column}, uniforms.n - 1u) - uniforms.first`;
  const sums = rows * OUTPUTS;
  const lowRank = lowRankSource(variant.lowRank);
  return defineKernel({
    name: `few rows ${gated ? 'gated ' : ''}${rows}x${across}x${down}x${lanes} ${format}`,
    inputs: {
      x: storedAs('f32', aligned),
      w: storedAs(format, aligned),
      added: 'f32',
      ...lowRank.inputs,
    },
    outputs: { y: 'f32' },
    uniforms: {
      rows: 'u32',
      n: 'u32',
      inputs: 'u32',
      row_groups: 'u32',
      first: 'u32',
      scale: 'f32',
      ...ADDED_UNIFORMS,
      ...lowRank.uniforms,
    },
    workgroupSize: [lanes, blocks, 1],
    declarations: [
      loadFour('x', 'f32', aligned, 'uniforms.inputs'),
      loadFour('w', format, aligned, 'uniforms.inputs'),
      lowRank.declarations,
      gated ? GATED : '',
      `var<workgroup> partials: array<f32, ${blocks * sums * lanes}>;`,
    ].join('\n'),
    body: `
      let group_row = (folded % uniforms.row_groups) * ${rows * down}u;
      let group_column = uniforms.first + (folded / uniforms.row_groups) * ${OUTPUTS * across}u;
      let first_row = group_row + local.y / ${across}u * ${rows}u;
      let first_column = group_column + local.y % ${across}u * ${OUTPUTS}u;
      ${range(sums)
        .map((i) => `var s${i} = 0.0;`)
        .join(' ')}
      ${loop(tile, rowOf)}
      ${range(sums)
        .map((i) => `partials[(local.y * ${sums}u + ${i}u) * ${lanes}u + local.x] = s${i};`)
        .join('\n')}
      workgroupBarrier();
      ${gated ? storeGated(variant) : store(variant)}`,
  });
});

type RowOf = (column: string) => string;

/** Accumulates this invocation's terms in its sums `s<i>`. */
const loop = ({ rows, lanes }: SharedTile, rowOf: RowOf): string => `
      for (var k = local.x * 4u; k < uniforms.inputs; k += ${lanes * 4}u) {
        ${range(OUTPUTS)
          .map((j) => `let w${j} = load_w(${rowOf(`first_column + ${j}u`)}, k);`)
          .join('\n')}
        ${range(rows)
          .map(
            (r) => `{ let v = load_x(min(first_row + ${r}u, uniforms.rows - 1u), k);
            ${range(OUTPUTS)
              .map((j) => `s${r * OUTPUTS + j} += dot(v, w${j});`)
              .join(' ')} }`,
          )
          .join('\n')}
      }`;

/** Adds the partial sums, applies the epilogue and writes the result. */
function store({ tile, lowRank }: GemvVariant): string {
  const { rows, across, down, lanes } = tile;
  const sums = rows * OUTPUTS;
  return `
      for (var i = lane; i < ${across * down * sums}u; i += ${lanes * across * down}u) {
        let block = i / ${sums}u;
        let row = group_row + block / ${across}u * ${rows}u + i % ${sums}u / ${OUTPUTS}u;
        let output = group_column + block % ${across}u * ${OUTPUTS}u + i % ${OUTPUTS}u;
        if (row >= uniforms.rows || output >= uniforms.n) { continue; }
        var sum = 0.0;
        ${reducePartials(lanes, 'partials', `i * ${lanes}u`, 'sum')}
        sum *= uniforms.scale;
        if (uniforms.adds != 0u) { sum += added[uniforms.added_stride * row + output]; }
        ${lowRank ? 'sum += low_rank(row, output);' : ''}
        y[row * uniforms.n + output] = sum;
      }`;
}

/** `store` for a gated product, one pair of sums at a time. */
function storeGated({ tile, lowRank }: GemvVariant): string {
  const { rows, across, down, lanes } = tile;
  const pairs = rows * (OUTPUTS / 2);
  const sum = (name: string, which: number): string => `
        var ${name} = 0.0;
        ${reducePartials(lanes, 'partials', `(first + ${which}u) * ${lanes}u`, name)}
        ${name} *= uniforms.scale;
        ${lowRank ? `${name} += low_rank(row, ${sourceRow(`column + ${which}u`)});` : ''}`;
  return `
      let width = uniforms.n / 2u;
      for (var i = lane; i < ${across * down * pairs}u; i += ${lanes * across * down}u) {
        let block = i / ${pairs}u;
        let row = group_row + block / ${across}u * ${rows}u + i % ${pairs}u / 2u;
        let column = group_column + block % ${across}u * ${OUTPUTS}u + i % 2u;
        let output = (column >> 2u) * 2u + (column & 1u);
        if (row >= uniforms.rows || output >= width) { continue; }
        let first = (i / 2u) * ${OUTPUTS}u + i % 2u;
        ${sum('gate', 0)}
        ${sum('up', 2)}
        y[row * width + output] = gated(gate, up);
      }`;
}
