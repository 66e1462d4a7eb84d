/**
 * Backward pass of an adapter's part of joint projections (low-rank.wgsl.ts), for dy of [rows, columns]:
 *
 *   dInner[row, segment * rank + j] = scale * sum over the segment's columns c of dy[row, c] outer[c, j]
 *   dOuter[c, j]                    = scale * sum over rows of dy[row, c] inner[row, segment(c) * rank + j]
 *
 * Both outputs are thin and both sums long, so invocations share each sum, in a fixed order. Matrix products would need
 * one dispatch per segment.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, emptyTensor, memoize, runKernel } from '../../gpu/kernel';
import { reducePartials, reduceThreads } from '../lib/reduce.wgsl';
import { lowRankUniforms, type LowRank } from './low-rank.wgsl';
import { adapterTraits } from './index';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';
import { range } from './variant';

/** Rows and ranks of dInner per workgroup. The partial sums of 64 invocations fill 16 KiB. */
const ROWS = 8;
const RANKS = 8;

const UNIFORMS = {
  rows: 'u32',
  columns: 'u32',
  rank: 'u32',
  inner_width: 'u32',
  second: 'u32',
  third: 'u32',
  low_rank_scale: 'f32',
} as const;

/** Workgroups: row groups along x, segments and groups of ranks along y. */
const innerKernel = memoize(({ threads, aligned }: { threads: number; aligned: boolean }): Kernel => {
  const sums = range(ROWS).flatMap((r) => range(RANKS).map((j) => `s${r}_${j >> 2}[${j & 3}]`));
  return defineKernel({
    name: 'low rank backward, inner',
    inputs: { dy: 'f32', outer: storedAs('f32', aligned) },
    outputs: { d_inner: 'f32' },
    uniforms: UNIFORMS,
    workgroupSize: [threads, 1, 1],
    declarations: [
      loadFour('outer', 'f32', aligned, 'uniforms.rank'),
      `var<workgroup> partials: array<f32, ${sums.length * threads}>;`,
    ].join('\n'),
    body: `
      let rank_groups = (uniforms.rank + ${RANKS - 1}u) / ${RANKS}u;
      let first_row = group.x * ${ROWS}u;
      let first_rank = group.y % rank_groups * ${RANKS}u;
      let segment = group.y / rank_groups;
      var bounds = array<u32, 4>(0u, uniforms.second, uniforms.third, uniforms.columns);
      let end = bounds[segment + 1u];
      ${range(ROWS)
        .map((r) => `var s${r}_0 = vec4<f32>(0.0); var s${r}_1 = vec4<f32>(0.0);`)
        .join(' ')}
      for (var c = bounds[segment] + local.x; c < end; c += ${threads}u) {
        let outer_0 = load_outer(c, first_rank);
        let outer_1 = load_outer(c, first_rank + 4u);
        ${range(ROWS)
          .map(
            (r) => `{ let d = dy[min(first_row + ${r}u, uniforms.rows - 1u) * uniforms.columns + c];
            s${r}_0 += d * outer_0; s${r}_1 += d * outer_1; }`,
          )
          .join('\n')}
      }
      ${sums.map((sum, i) => `partials[${i * threads}u + lane] = ${sum};`).join('\n')}
      workgroupBarrier();
      for (var i = lane; i < ${sums.length}u; i += ${threads}u) {
        let row = first_row + i / ${RANKS}u;
        let j = first_rank + i % ${RANKS}u;
        if (row >= uniforms.rows || j >= uniforms.rank) { continue; }
        var sum = 0.0;
        ${reducePartials(threads, 'partials', `i * ${threads}u`, 'sum')}
        d_inner[row * uniforms.inner_width + segment * uniforms.rank + j] = uniforms.low_rank_scale * sum;
      }`,
  });
});

interface OuterVariant {
  /** Adjacent columns per invocation, all in one segment. */
  columns: 1 | 4;
  /** Invocations along the columns, and invocations that share the rows. */
  across: number;
  sharing: number;
  /** True if the rank is a multiple of 4. */
  aligned: boolean;
}

/** Workgroups: columns along x, four ranks each along y. */
const outerKernel = memoize(({ columns, across, sharing, aligned }: OuterVariant): Kernel => {
  const sums = range(columns).flatMap((z) => range(4).map((j) => `s${z}[${j}]`));
  const width = across * columns;
  return defineKernel({
    name: 'low rank backward, outer',
    inputs: { dy: columns === 4 ? 'vec4<f32>' : 'f32', inner: storedAs('f32', aligned) },
    outputs: { d_outer: 'f32' },
    uniforms: UNIFORMS,
    workgroupSize: [across, sharing, 1],
    declarations: [
      loadFour('inner', 'f32', aligned, 'uniforms.inner_width'),
      `var<workgroup> partials: array<f32, ${across * sums.length * sharing}>;`,
    ].join('\n'),
    body: `
      let first = min(group.x * ${width}u + local.x * ${columns}u, uniforms.columns - ${columns}u);
      let segment = u32(first >= uniforms.second) + u32(first >= uniforms.third);
      let at = segment * uniforms.rank + group.y * 4u;
      ${range(columns)
        .map((z) => `var s${z} = vec4<f32>(0.0);`)
        .join(' ')}
      for (var row = local.y; row < uniforms.rows; row += ${sharing}u) {
        let v = load_inner(row, at);
        let d = dy[(row * uniforms.columns + first) / ${columns}u];
        ${range(columns)
          .map((z) => `s${z} += ${columns === 4 ? `d[${z}]` : 'd'} * v;`)
          .join(' ')}
      }
      ${sums
        .map((sum, i) => `partials[(local.x * ${sums.length}u + ${i}u) * ${sharing}u + local.y] = ${sum};`)
        .join('\n')}
      workgroupBarrier();
      for (var i = lane; i < ${across * sums.length}u; i += ${across * sharing}u) {
        let column = group.x * ${width}u + i / 4u;
        let j = group.y * 4u + i % 4u;
        if (column >= uniforms.columns || j >= uniforms.rank) { continue; }
        var sum = 0.0;
        ${reducePartials(sharing, 'partials', `i * ${sharing}u`, 'sum')}
        d_outer[column * uniforms.rank + j] = uniforms.low_rank_scale * sum;
      }`,
  });
});

const aligned = (length: number): boolean => length % 4 === 0;

/** @param dy [rows, columns] @returns the gradient with respect to `inner`, [rows, segments * rank] */
export function lowRankInnerGradient(dy: tf.Tensor2D, lowRank: LowRank): tf.Tensor2D {
  const { outer, segments } = lowRank;
  const [rows, columns] = dy.shape;
  const rank = outer.shape[1];
  const dInner = emptyTensor<tf.Rank.R2>(lowRank.inner.shape);
  runKernel(innerKernel({ threads: reduceThreads(adapterTraits()), aligned: aligned(rank) }), {
    inputs: { dy, outer },
    outputs: { d_inner: dInner },
    uniforms: { rows, columns, ...lowRankUniforms(lowRank) },
    workgroups: [Math.ceil(rows / ROWS), segments.length * Math.ceil(rank / RANKS), 1],
  });
  return dInner;
}

/** @param dy [rows, columns] @returns the gradient with respect to `outer`, [columns, rank] */
export function lowRankOuterGradient(dy: tf.Tensor2D, lowRank: LowRank): tf.Tensor2D {
  const { inner, outer, segments } = lowRank;
  const [rows, columns] = dy.shape;
  const rank = outer.shape[1];
  const dOuter = emptyTensor<tf.Rank.R2>(outer.shape);
  const variant = {
    columns: segments.every(aligned) ? (4 as const) : (1 as const),
    ...(adapterTraits().isSoftware ? { across: 4, sharing: 1 } : { across: 8, sharing: 8 }),
    aligned: aligned(rank),
  };
  runKernel(outerKernel(variant), {
    inputs: { dy, inner },
    outputs: { d_outer: dOuter },
    uniforms: { rows, columns, ...lowRankUniforms(lowRank) },
    workgroups: [Math.ceil(columns / (variant.columns * variant.across)), Math.ceil(rank / 4), 1],
  });
  return dOuter;
}
