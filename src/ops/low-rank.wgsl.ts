/**
 * WGSL that adds an adapter's part to a finished sum: scale * sum_j inner[row, segment * rank + j] * outer[column, j],
 * with inner = x Aᵀ. Where several projections of one input are computed as one product, their columns are segments:
 * each has its own part of `inner`. The rank is small, so this costs little beside the product it is added to, and
 * saves writing the product, reading it again and another dispatch.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Element } from '../gpu/kernel';
import { loadFour, storedAs } from './weight-load.wgsl';

export interface LowRank {
  /** [rows, segments * rank] */
  inner: tf.Tensor2D;
  /** [columns, rank] */
  outer: tf.Tensor2D;
  scale: number;
  /** Columns of each segment, at most three of them. */
  segments: readonly number[];
}

/** What is compiled in: absent, or whether 4 divides the rank. */
export type LowRankVariant = 'none' | 'aligned' | 'unaligned';

export function lowRankVariant(lowRank: LowRank | undefined): LowRankVariant {
  if (!lowRank) return 'none';
  return lowRank.outer.shape[1] % 4 === 0 ? 'aligned' : 'unaligned';
}

interface LowRankSource {
  inputs: Record<string, Element>;
  uniforms: Record<string, 'u32' | 'f32'>;
  /** Defines `fn low_rank(row: u32, column: u32) -> f32`. */
  declarations: string;
}

export function lowRankSource(variant: LowRankVariant): LowRankSource {
  if (variant === 'none') return { inputs: {}, uniforms: {}, declarations: '' };
  const aligned = variant === 'aligned';
  return {
    inputs: { inner: storedAs('f32', aligned), outer: storedAs('f32', aligned) },
    uniforms: { rank: 'u32', inner_width: 'u32', second: 'u32', third: 'u32', low_rank_scale: 'f32' },
    // past an unaligned rank `outer` reads zeros, whatever the next segment of `inner` holds
    declarations: `${loadFour('inner', 'f32', aligned, 'uniforms.inner_width')}
      ${loadFour('outer', 'f32', aligned, 'uniforms.rank')}
      fn low_rank(row: u32, column: u32) -> f32 {
        let segment = u32(column >= uniforms.second) + u32(column >= uniforms.third);
        var sum = 0.0;
        for (var j = 0u; j < uniforms.rank; j += 4u) {
          sum += dot(load_inner(row, segment * uniforms.rank + j), load_outer(column, j));
        }
        return uniforms.low_rank_scale * sum;
      }`,
  };
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
