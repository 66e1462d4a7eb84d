/**
 * y = scale * x Wᵀ + bias + residual + an adapter's part, for few rows of x, where reading W is all the time goes to: decoding. A workgroup
 * goes along the inputs together, so that neighbours read neighbouring words of W; each word is read once for
 * all rows. Every invocation sums its share for four outputs of all rows, and the shares are added in order.
 */
import type { Kernel } from '../gpu/kernel';
import { defineKernel, memoize } from '../gpu/kernel';
import { addShares, leaveShare, shareCount, type SummingGroup } from './group-sum.wgsl';
import type { LowRankVariant } from './low-rank.wgsl';
import { lowRankSource } from './low-rank.wgsl';
import type { WeightFormat } from './weight-load.wgsl';
import { loadFour, storedAs } from './weight-load.wgsl';

export interface FewRowsVariant {
  /** A power of two up to 16: at least the rows of x. */
  rows: number;
  /** Invocations that share one sum. */
  sharing: SummingGroup;
  format: WeightFormat;
  alignedX: boolean;
  alignedW: boolean;
  bias: boolean;
  residual: boolean;
  lowRank: LowRankVariant;
}

/** Outputs of one workgroup. */
export const OUTPUTS = 4;
/** Most rows that the partial sums of a workgroup have room for in 16 KiB. */
export const MOST_ROWS = 16;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/**
 * Inputs `x`, `w` and, as the variant says, `scales`, `bias`, `residual`, `inner`, `outer`; output `y`. One workgroup for every four
 * outputs, along a folded x.
 */
export const fewRowsKernel = memoize((variant: FewRowsVariant): Kernel => {
  const { rows, sharing, format, alignedX, alignedW, bias, residual } = variant;
  const { threads } = sharing;
  const shares = shareCount(sharing);
  const sums = rows * OUTPUTS;
  const lowRank = lowRankSource(variant.lowRank);
  return defineKernel({
    name: `few rows ${rows} ${format}`,
    inputs: {
      x: storedAs('f32', alignedX),
      w: storedAs(format, alignedW),
      ...(format === 'int8' ? { scales: 'f32' as const } : {}),
      ...(bias ? { bias: 'f32' as const } : {}),
      ...(residual ? { residual: 'f32' as const } : {}),
      ...lowRank.inputs,
    },
    outputs: { y: 'f32' },
    uniforms: {
      rows: 'u32',
      outputs: 'u32',
      inputs: 'u32',
      scale: 'f32',
      group: 'u32',
      groups: 'u32',
      first: 'u32',
      ...lowRank.uniforms,
    },
    workgroupSize: [threads, 1, 1],
    subgroups: sharing.subgroupSize > 0,
    declarations: [
      loadFour('x', 'f32', alignedX, 'uniforms.inputs'),
      loadFour('w', format, alignedW, 'uniforms.inputs', 'uniforms.first'),
      lowRank.declarations,
      `var<workgroup> shares: array<f32, ${sums * shares}>;`,
    ].join('\n'),
    body: `
      let first = (group.y * groups.x + group.x) * ${OUTPUTS}u;
      ${range(sums)
        .map((i) => `var s${i} = 0.0;`)
        .join(' ')}
      for (var k = lane * 4u; k < uniforms.inputs; k += ${threads * 4}u) {
        ${range(OUTPUTS)
          .map((j) => `let w${j} = load_w(min(first + ${j}u, uniforms.outputs - 1u), k);`)
          .join('\n')}
        ${range(rows)
          .map(
            (r) => `{ let v = load_x(min(${r}u, uniforms.rows - 1u), k);
            ${range(OUTPUTS)
              .map((j) => `s${r * OUTPUTS + j} += dot(v, w${j});`)
              .join(' ')} }`,
          )
          .join('\n')}
      }
      ${range(sums)
        .map((i) => leaveShare(sharing, 'shares', `${i * shares}u`, `s${i}`))
        .join('\n')}
      workgroupBarrier();
      for (var i = lane; i < ${sums}u; i += ${threads}u) {
        let row = i / ${OUTPUTS}u;
        let output = first + i % ${OUTPUTS}u;
        if (row >= uniforms.rows || output >= uniforms.outputs) { continue; }
        var sum = 0.0;
        ${addShares(sharing, 'shares', `i * ${shares}u`, 'sum')}
        sum *= uniforms.scale;
        ${bias ? 'sum += bias[output];' : ''}
        ${residual ? 'sum += residual[row * uniforms.outputs + output];' : ''}
        ${variant.lowRank === 'none' ? '' : 'sum += low_rank(row, output);'}
        y[row * uniforms.outputs + output] = sum;
      }`,
  });
});
