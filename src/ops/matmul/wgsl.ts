/**
 * Matrix products in WGSL, for the three directions of a linear layer with W stored as [outputs, inputs]:
 *
 *   nt  C[m, n] = sum_k A[m, k] B[n, k]     y  = x Wᵀ    both contiguous along the contraction
 *   nn  C[m, n] = sum_k A[m, k] B[k, n]     dx = dy W
 *   tn  C[m, n] = sum_k A[k, m] B[k, n]     dW = dyᵀ x
 *
 * with C = scale * AB + an adapter's part (low-rank.wgsl.ts) + bias or residual (store.wgsl.ts). Every invocation
 * computes a block of C in registers from 4 x 4 blocks of A and B. `register` tiles read these blocks directly from
 * memory and rely on caches for reuse. They are best on software adapters, where workgroup memory is no faster and
 * every barrier is expensive. `workgroup` tiles first stage 32 steps of the contraction in workgroup memory, which is
 * best on graphics cards.
 *
 * In the backward pass, the contraction may be split into parts along the grid's z axis if the output is too small to
 * fill a GPU. Each part writes a separate C, and `sumPartsKernel` adds the parts in order. Forward products are never
 * split: they use the kernel of gemv.wgsl.ts instead. There are no atomics, so equal runs give equal bits. A gated
 * product (store.wgsl.ts) reads the rows of W in another order and writes half as many columns.
 */
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel, memoize } from '../../gpu/kernel';
import { ADDED_UNIFORMS, GATED, sourceRow, store } from './store.wgsl';
import { lowRankSource } from './low-rank.wgsl';
import { COLUMNS, range, STAGED, type MatmulVariant, type ProductVariant, type Tile } from './variant';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

/** Uniforms of every kernel that contains a product. `first` is the matrix row at which the bound block `b` begins. */
export const PRODUCT_UNIFORMS = {
  m: 'u32',
  n: 'u32',
  k: 'u32',
  part: 'u32',
  first: 'u32',
  scale: 'f32',
} as const;

/**
 * Source of the product without the store, for kernels that process C further. After `body`, the variables `c<i>`
 * (vec4<f32>) hold row `first_row + i`, columns `first_column` to `+ 3`, before `scale`.
 */
export function productSource(
  variant: ProductVariant,
): Pick<KernelSource, 'inputs' | 'declarations' | 'body'> {
  const { direction, format, tile, aligned } = variant;
  const rowOfA = direction === 'tn' ? 'm' : 'k';
  const rowOfB = direction === 'nt' ? 'k' : 'n';
  return {
    inputs: { a: storedAs('f32', aligned[rowOfA]), b: storedAs(format, aligned[rowOfB]) },
    declarations: [
      loadFour('a', 'f32', aligned[rowOfA], `uniforms.${rowOfA}`),
      loadFour('b', format, aligned[rowOfB], `uniforms.${rowOfB}`),
      tile.kind === 'workgroup' ? stagingMemory(tile) : '',
      variant.gated ? GATED : '',
    ].join('\n'),
    body: [
      `let part_begin = ${direction === 'nt' ? '' : 'uniforms.first + '}group.z * uniforms.part;`,
      'let part_end = min(uniforms.k, part_begin + uniforms.part);',
      `let first_row = (${groupOf(variant, 'rows')} * ${tile.down}u + local.y) * ${tile.rows}u;`,
      `let first_column = ${direction === 'nt' ? 'uniforms.first + ' : ''}(${groupOf(variant, 'columns')} * ${tile.across}u + local.x) * ${COLUMNS}u;`,
      ...range(tile.rows).map((i) => `var c${i} = vec4<f32>(0.0);`),
      tile.kind === 'register' ? registerLoop(variant) : workgroupLoop(variant),
    ].join('\n'),
  };
}

/**
 * Inputs `a`, `b`, `added` and, depending on the variant, `inner`, `outer`; output `c`. Uniforms: `m`, `n`,
 * `k`, `scale`, `part` (steps of the contraction per z of the grid), and those of store.wgsl.ts and low-rank.wgsl.ts.
 */
export const matmulKernel = memoize((variant: MatmulVariant): Kernel => {
  const { direction, format, tile, aligned } = variant;
  const { inputs, declarations, body } = productSource(variant);
  const lowRank = lowRankSource(variant.lowRank);
  const four = aligned.n && !variant.gated ? 'vec4<f32>' : 'f32';
  return defineKernel({
    name: `matmul ${variant.gated ? 'gated ' : ''}${direction} ${format} ${tile.kind} ${tile.rows}x${COLUMNS}x${tile.across}x${tile.down}`,
    inputs: {
      ...inputs,
      added: four,
      ...lowRank.inputs,
    },
    outputs: { c: four },
    uniforms: { ...PRODUCT_UNIFORMS, ...ADDED_UNIFORMS, ...lowRank.uniforms },
    workgroupSize: [tile.across, tile.down, 1],
    declarations: [declarations, lowRank.declarations].join('\n'),
    body: [body, store(variant)].join('\n'),
  });
});

/** Index of a workgroup along the rows, or the columns, of C. */
const groupOf = ({ rowsFirst }: ProductVariant, along: 'rows' | 'columns'): string =>
  (along === 'rows') === (rowsFirst === true) ? 'group.x' : 'group.y';

/** Main loop of register tiles: loads four steps of the contraction at a time directly from memory. */
function registerLoop(variant: ProductVariant): string {
  const { tile, direction } = variant;
  const lines: string[] = [];
  const blockRows = range(tile.rows);
  if (direction !== 'tn') {
    // A is contiguous along the contraction: a<row> holds four steps
    blockRows.forEach((i) => lines.push(`let a${i} = load_a(min(first_row + ${i}u, uniforms.m - 1u), k);`));
  } else {
    for (const z of range(4)) {
      for (const i of range(tile.rows / 4))
        lines.push(`let s${z}_${i} = ${stepRow(variant, 'a', z, `first_row + ${4 * i}u`)};`);
    }
  }
  if (direction === 'nt') {
    for (const z of range(4)) {
      const row = rowOfB(variant, `first_column + ${z}u`);
      lines.push(`let b${z} = load_b(${row}, k);`);
    }
    for (const i of blockRows) {
      const dots = range(4).map((z) => `dot(a${i}, b${z})`);
      lines.push(`c${i} += vec4<f32>(${dots.join(', ')});`);
    }
  } else {
    for (const z of range(4)) {
      lines.push(`let b${z} = ${stepRow(variant, 'b', z, 'first_column')};`);
      for (const i of blockRows) {
        const value = direction === 'nn' ? `a${i}[${z}]` : `s${z}_${i >> 2}[${i & 3}]`;
        lines.push(`c${i} += ${value} * b${z};`);
      }
    }
  }
  return `for (var k = part_begin; k < part_end; k += 4u) {\n${lines.join('\n')}\n}`;
}

/** Row of B, in the order of `nt`, for a column of the tile. */
const rowOfB = ({ gated }: ProductVariant, column: string): string =>
  gated ? sourceRow(column) : `min(${column}, uniforms.n - 1u) - uniforms.first`;

/** Offset of the bound block's first row in the matrix. */
const beforeFirst = (name: 'a' | 'b'): string => (name === 'b' ? ' - uniforms.first' : '');

/** Four columns of A or B at step k + z of a contraction that runs over its rows; zero past the end. */
function stepRow(variant: ProductVariant, name: 'a' | 'b', z: number, column: string): string {
  const step = `k + ${z}u`;
  if (variant.aligned.k) return `load_${name}(${step}${beforeFirst(name)}, ${column})`;
  const load = `load_${name}(min(${step}, uniforms.k - 1u)${beforeFirst(name)}, ${column})`;
  return `select(vec4<f32>(0.0), ${load}, ${step} < uniforms.k)`;
}

/** A as [step, four rows], B as [step, four columns]. */
function stagingMemory(tile: Tile): string {
  const rows = (tile.rows * tile.down) / 4;
  return `var<workgroup> staged_a: array<vec4<f32>, ${STAGED * rows}>;
var<workgroup> staged_b: array<vec4<f32>, ${STAGED * tile.across}>;`;
}

/** Main loop of workgroup tiles: stages 32 steps at a time in workgroup memory. */
function workgroupLoop(variant: ProductVariant): string {
  const { tile, direction } = variant;
  const rows = (tile.rows * tile.down) / 4;
  const stage = [
    stageBlocks(
      variant,
      'a',
      rows,
      direction !== 'tn',
      `${groupOf(variant, 'rows')} * ${4 * rows}u`,
      'uniforms.m',
    ),
    stageBlocks(
      variant,
      'b',
      tile.across,
      direction === 'nt',
      `${direction === 'nt' ? 'uniforms.first + ' : ''}${groupOf(variant, 'columns')} * ${COLUMNS * tile.across}u`,
      'uniforms.n',
    ),
  ];
  const lines: string[] = [];
  range(tile.rows / 4).forEach((i) =>
    lines.push(`let a${i} = staged_a[step * ${rows}u + local.y * ${tile.rows / 4}u + ${i}u];`),
  );
  lines.push(`let b0 = staged_b[step * ${tile.across}u + local.x];`);
  for (const i of range(tile.rows)) lines.push(`c${i} += a${i >> 2}[${i & 3}] * b0;`);
  return `for (var k = part_begin; k < part_end; k += ${STAGED}u) {
${stage.join('\n')}
workgroupBarrier();
for (var step = 0u; step < ${STAGED}u; step++) {
${lines.join('\n')}
}
workgroupBarrier();
}`;
}

/**
 * Copies 32 steps of `blocks` groups of four rows (or columns) into workgroup memory. Each invocation copies a 4 x 4
 * block at a time, transposed if memory is contiguous along the contraction.
 */
function stageBlocks(
  variant: ProductVariant,
  name: 'a' | 'b',
  blocks: number,
  contiguousAlongSteps: boolean,
  origin: string,
  bound: string,
): string {
  const total = (blocks * STAGED) / 4;
  const threads = variant.tile.across * variant.tile.down;
  const lines = [`for (var block = lane; block < ${total}u; block += ${threads}u) {`];
  if (contiguousAlongSteps) {
    lines.push(`let step = (block % ${STAGED / 4}u) * 4u; let four = block / ${STAGED / 4}u;`);
    for (const z of range(4)) {
      const at = `${origin} + four * 4u + ${z}u`;
      const row = name === 'b' ? rowOfB(variant, at) : `min(${at}, ${bound} - 1u)`;
      // steps past the end are zero: a part ends at a multiple of 32 or at the end of the contraction
      const load = `load_${name}(${row}, k + step)`;
      lines.push(`let v${z} = select(vec4<f32>(0.0), ${load}, k + step < part_end);`);
    }
    for (const z of range(4)) {
      const transposed = range(4).map((i) => `v${i}[${z}]`);
      lines.push(`staged_${name}[(step + ${z}u) * ${blocks}u + four] = vec4<f32>(${transposed.join(', ')});`);
    }
  } else {
    lines.push(`let step = (block / ${blocks}u) * 4u; let four = block % ${blocks}u;`);
    for (const z of range(4)) {
      const at = `k + step + ${z}u`;
      const load = `load_${name}(min(${at}, uniforms.k - 1u)${beforeFirst(name)}, ${origin} + four * 4u)`;
      lines.push(
        `staged_${name}[(step + ${z}u) * ${blocks}u + four] = select(vec4<f32>(0.0), ${load}, ${at} < part_end);`,
      );
    }
  }
  return [...lines, '}'].join('\n');
}
