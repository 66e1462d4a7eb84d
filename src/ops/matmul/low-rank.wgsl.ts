/**
 * WGSL that adds an adapter's part to a finished sum: scale * sum_j inner[row, segment * rank + j] * outer[column, j],
 * with inner = x Aᵀ. Where several projections of one input are computed as one product, their columns are segments:
 * each has its own part of `inner`. The rank is small, so this costs little beside the product it is added to, and
 * saves writing the product, reading it again and another dispatch.
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
  /** Columns of each segment, at most three of them. */
  segments: readonly number[];
}

/** What is compiled in; null where there is no adapter. */
export type LowRankVariant = {
  /** Whether 4 divides the rank. */
  aligned: boolean;
  /** Whether 4 divides every segment, so that four neighbouring columns have the same part of `inner`. */
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
  /** Defines `fn low_rank(row: u32, column: u32) -> f32`, and what `lowRankBlock` calls. */
  declarations: string;
}

export function lowRankSource(variant: LowRankVariant): LowRankSource {
  if (!variant) return { inputs: {}, uniforms: {}, declarations: '' };
  const { aligned } = variant;
  return {
    inputs: { inner: storedAs('f32', aligned), outer: storedAs('f32', aligned) },
    uniforms: { rank: 'u32', inner_width: 'u32', second: 'u32', third: 'u32', low_rank_scale: 'f32' },
    // past an unaligned rank `outer` reads zeros, whatever the next segment of `inner` holds
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
 * Statements that leave the adapter's part of `rows` rows from `first_row` on, of which `uniforms.m` exist, and of four
 * columns in `l<row>_<block>` (vec4<f32>). The columns are of one segment, or the last two of another one: each value that
 * is read serves four sums, or two.
 */
export function lowRankBlock(
  rows: number,
  block: number,
  columns: readonly string[],
  segments: 1 | 2 = 1,
): string {
  const names = Array.from({ length: rows }, (_, i) => `l${i}_${block}`);
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
