/**
 * WGSL that adds an adapter's part to a finished sum: scale * sum_j inner[row, segment * rank + j] * outer[column, j],
 * with inner = x Aᵀ. If one product computes several projections of one input, their columns form segments, and each
 * segment has a separate part of `inner`. The rank is small, so the addition is cheap compared with the product. It
 * saves writing the product, rereading it and another dispatch.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Element } from '../../gpu/kernel';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

export interface LowRank {
  /** [rows, segments * rank] */
  inner: tf.Tensor2D;
  /** [columns, rank] */
  outer: tf.Tensor2D;
  scale: number;
  /** Columns of each segment. At most three segments. */
  segments: readonly number[];
}

/** Compile-time properties of the adapter, or null without an adapter. */
export type LowRankVariant = {
  /** True if the rank is a multiple of 4. */
  aligned: boolean;
  /** True if every segment is a multiple of 4, so four adjacent columns share one part of `inner`. */
  blocks: boolean;
} | null;

export function lowRankVariant(lowRank: LowRank | undefined): LowRankVariant {
  if (!lowRank) return null;
  const byFour = (length: number): boolean => length % 4 === 0;
  return { aligned: byFour(lowRank.outer.shape[1]), blocks: lowRank.segments.every(byFour) };
}

interface LowRankSource {
  inputs: Record<string, Element>;
  uniforms: Record<string, 'u32' | 'f32'>;
  /** Defines `fn low_rank(row: u32, column: u32) -> f32` and the functions that `lowRankBlock` calls. */
  declarations: string;
}

export function lowRankSource(variant: LowRankVariant): LowRankSource {
  if (!variant) return { inputs: {}, uniforms: {}, declarations: '' };
  const { aligned } = variant;
  return {
    inputs: { inner: storedAs('f32', aligned), outer: storedAs('f32', aligned) },
    uniforms: { rank: 'u32', inner_width: 'u32', second: 'u32', third: 'u32', low_rank_scale: 'f32' },
    // past an unaligned rank, `outer` reads zeros, which cancel the next segment's values of `inner`
    declarations: `${loadFour('inner', 'f32', aligned, 'uniforms.inner_width')}
      ${loadFour('outer', 'f32', aligned, 'uniforms.rank')}
      fn first_of_inner(column: u32) -> u32 {
        return (u32(column >= uniforms.second) + u32(column >= uniforms.third)) * uniforms.rank;
      }
      fn low_rank(row: u32, column: u32) -> f32 {
        let first = first_of_inner(column);
        var sum = 0.0;
        for (var j = 0u; j < uniforms.rank; j += 4u) {
          sum += dot(load_inner(row, first + j), load_outer(column, j));
        }
        return uniforms.low_rank_scale * sum;
      }`,
  };
}

/**
 * Statements that compute the adapter's part of `rows` rows and four columns in `l<row>` (vec4<f32>). The rows
 * start at `first_row`, and only `uniforms.m` rows exist. The columns lie in one segment, or the last two lie in
 * another one. Each loaded value is used in four sums, or in two.
 */
export function lowRankBlock(rows: number, columns: readonly string[], segments: 1 | 2 = 1): string {
  const names = Array.from({ length: rows }, (_, i) => `l${i}`);
  const four = [0, 1, 2, 3];
  const valueOf = (z: number): number => (segments === 2 && z > 1 ? 1 : 0);
  const dots = four.map((z) => `dot(v${valueOf(z)}, o${z})`).join(', ');
  const parts = segments === 2 ? [0, 1] : [0];
  return `${names.map((name) => `var ${name} = vec4<f32>(0.0);`).join(' ')}
    {
      ${parts.map((part) => `let first${part} = first_of_inner(${columns[2 * part]});`).join(' ')}
      for (var j = 0u; j < uniforms.rank; j += 4u) {
        ${four.map((z) => `let o${z} = load_outer(${columns[z]}, j);`).join(' ')}
        ${names
          .map((name, i) => {
            const row = `min(first_row + ${i}u, uniforms.m - 1u)`;
            const values = parts.map((part) => `let v${part} = load_inner(${row}, first${part} + j);`);
            return `{ ${values.join(' ')} ${name} += vec4<f32>(${dots}); }`;
          })
          .join('\n')}
      }
      ${names.map((name) => `${name} *= uniforms.low_rank_scale;`).join(' ')}
    }`;
}

export function lowRankInputs(lowRank: LowRank | undefined): Record<string, tf.Tensor> {
  return lowRank ? { inner: lowRank.inner, outer: lowRank.outer } : {};
}

export function lowRankUniforms(lowRank: LowRank | undefined): Record<string, number> {
  if (!lowRank) return {};
  const { inner, outer, scale, segments } = lowRank;
  const columns = outer.shape[0];
  const second = segments.length > 1 ? segments[0] : columns;
  const third = segments.length > 2 ? segments[0] + segments[1] : columns;
  return { rank: outer.shape[1], inner_width: inner.shape[1], second, third, low_rank_scale: scale };
}
