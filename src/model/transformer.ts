/**
 * The forward pass of a Qwen2-layout transformer: RMSNorm, grouped-query attention with rotary positions, SwiGLU, in
 * pre-norm blocks. One block is one function from its input to its output, because training recomputes blocks one by
 * one on the way back. Rows are all positions of all sequences: [batch * T, hidden].
 */
import * as tf from '@tensorflow/tfjs-core';
import { attention } from '../ops/attention';
import { branchAttention, type Branches } from '../ops/branch-attention';
import {
  attendNewToken,
  attendNewTokenPlain,
  type FusedKeyValueCache,
  type HeadNorms,
  type PlainKeyValueCache,
} from '../ops/decode-attention';
import { jointLinear } from '../ops/joint-linear';
import { linear } from '../ops/linear';
import { rmsNorm } from '../ops/rms-norm';
import { rope, type RopeTables, type Rotation } from '../ops/rope';
import { swiglu, swigluHalves } from '../ops/swiglu';
import type { ModelConfig } from './config';
import type { JointLayer } from './joint-layers';
import type { LayerWeights, Projection } from './weights';

/** What every block of one pass shares. */
export interface PassContext {
  config: ModelConfig;
  /** Angles at every row's position. */
  rotation: Rotation;
  /** Whether LoRA adapters take part; off is the reference policy. */
  adapter: boolean;
}

function project(
  x: tf.Tensor2D,
  { weight, bias, lora }: Projection,
  adapter: boolean,
  residual?: tf.Tensor2D,
): tf.Tensor2D {
  const base = linear(x, weight, { bias: bias ?? undefined, residual });
  if (!lora || !adapter) return base;
  return linear(linear(x, lora.a), lora.b, { scale: lora.scale, residual: base });
}

/** Queries, keys and values of the rows, rotated: [rows, heads | kvHeads, headDim]. */
function attentionInputs(
  x: tf.Tensor2D,
  layer: LayerWeights,
  { config, rotation, adapter }: PassContext,
): { q: tf.Tensor3D; k: tf.Tensor3D; v: tf.Tensor3D } {
  const { heads, kvHeads, headDim, normEpsilon } = config;
  const rows = x.shape[0];
  const h = rmsNorm(x, layer.inputNorm, normEpsilon);
  const split = (projection: Projection, count: number, norm: tf.Tensor1D | null): tf.Tensor3D => {
    const projected = project(h, projection, adapter);
    const perHead = norm
      ? rmsNorm(tf.reshape(projected, [rows * count, headDim]), norm, normEpsilon)
      : projected;
    return tf.reshape(perHead, [rows, count, headDim]);
  };
  return {
    q: rope(split(layer.q, heads, layer.qNorm), rotation),
    k: rope(split(layer.k, kvHeads, layer.kNorm), rotation),
    v: split(layer.v, kvHeads, null),
  };
}

/** The second half of a block: x + down(silu(gate) * up). */
function feedForward(x: tf.Tensor2D, layer: LayerWeights, { config, adapter }: PassContext): tf.Tensor2D {
  const h = rmsNorm(x, layer.postNorm, config.normEpsilon);
  const hidden = swiglu(project(h, layer.gate, adapter), project(h, layer.up, adapter));
  return project(hidden, layer.down, adapter, x);
}

/** How the rows of one pass stand for sequences. */
export interface RowLayout {
  /** Sequences, and the padded length of each: the last `batch * length` rows. */
  batch: number;
  length: number;
  /** Prompts that several sequences share, in the rows before: `lengths.length * length` of them. Null: none do. */
  prompts: { length: number; branches: Branches } | null;
}

/**
 * One block over whole sequences, or over shared prompts and what follows them.
 *
 * @param x [rows, hidden]
 * @param keep receives the layer's rotated keys and its values, [batch, T, kvHeads, headDim], when a prompt is read
 * @returns [rows, hidden]
 */
export function block(
  x: tf.Tensor2D,
  layer: LayerWeights,
  layout: RowLayout,
  context: PassContext,
  keep?: (k: tf.Tensor4D, v: tf.Tensor4D) => void,
): tf.Tensor2D {
  const { heads, kvHeads, headDim } = context.config;
  const { batch, length, prompts } = layout;
  const { q, k, v } = attentionInputs(x, layer, context);
  let mixed: tf.Tensor;
  if (prompts) {
    mixed = branchAttention(q, k, v, { batch, length, prompts });
  } else {
    const sequences = (rows: tf.Tensor3D, count: number): tf.Tensor4D =>
      tf.reshape(rows, [batch, length, count, headDim]);
    const keys = sequences(k, kvHeads);
    const values = sequences(v, kvHeads);
    keep?.(keys, values);
    mixed = attention(sequences(q, heads), keys, values);
  }
  const attended = tf.reshape<tf.Rank.R2>(mixed, [x.shape[0], heads * headDim]);
  return feedForward(project(attended, layer.o, context.adapter, x), layer, context);
}

/** RMSNorm of the heads, in architectures that have it. */
function headNorms({ qNorm, kNorm }: LayerWeights, { normEpsilon }: ModelConfig): HeadNorms | null {
  return qNorm && kNorm ? { q: qNorm, k: kNorm, epsilon: normEpsilon } : null;
}

/**
 * One block over one new token per row, whose key and value go into the cache: 8 dispatches, and one more for each of the
 * four products where an adapter takes part.
 *
 * @param x [rows, hidden]
 * @param joint the same layer's projections
 */
export function decodeBlockFused(
  x: tf.Tensor2D,
  layer: LayerWeights,
  joint: JointLayer,
  cache: FusedKeyValueCache,
  { config, tables }: { config: ModelConfig; tables: RopeTables },
): tf.Tensor2D {
  const h = rmsNorm(x, layer.inputNorm, config.normEpsilon);
  const attended = attendNewToken(jointLinear(h, joint.qkv), cache, tables, headNorms(layer, config));
  const y = jointLinear(attended, joint.o, x);
  const both = jointLinear(rmsNorm(y, layer.postNorm, config.normEpsilon), joint.gateUp);
  return jointLinear(swigluHalves(both), joint.down, y);
}

/** The plain twin, projection by projection as in training. @param x [rows, hidden] */
export function decodeBlockPlain(
  x: tf.Tensor2D,
  layer: LayerWeights,
  cache: PlainKeyValueCache,
  context: PassContext,
): tf.Tensor2D {
  const { config, rotation, adapter } = context;
  const h = rmsNorm(x, layer.inputNorm, config.normEpsilon);
  const attended = attendNewTokenPlain(
    [project(h, layer.q, adapter), project(h, layer.k, adapter), project(h, layer.v, adapter)],
    cache,
    rotation,
    headNorms(layer, config),
  );
  return feedForward(project(attended, layer.o, adapter, x), layer, context);
}
