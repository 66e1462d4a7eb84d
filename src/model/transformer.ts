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
import { splitHeads } from '../ops/split-heads';
import { swiglu, swigluHalves } from '../ops/swiglu';
import type { ModelConfig } from './config';
import type { JointLayer } from './joint-layers';
import type { LayerWeights, Projection } from './weights';

/** What every block of one pass shares. */
export interface PassContext {
  config: ModelConfig;
  /** Angles at every row's position. */
  rotation: Rotation;
  /** Whether LoRA adapters take part. */
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

/** Queries, keys and values of the rows, the first two rotated: [rows, heads | kvHeads, headDim]. */
function attentionInputs(
  x: tf.Tensor2D,
  layer: LayerWeights,
  { config, rotation, adapter }: PassContext,
): tf.Tensor3D[] {
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
  return [
    rope(split(layer.q, heads, layer.qNorm), rotation),
    rope(split(layer.k, kvHeads, layer.kNorm), rotation),
    split(layer.v, kvHeads, null),
  ];
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

/** Receives a layer's rotated keys and its values, [batch, T, kvHeads, headDim], when a prompt is read. */
export type KeepKeysAndValues = (k: tf.Tensor4D, v: tf.Tensor4D) => void;

/** What every row attends to: [rows, heads * headDim]. */
function attend(
  [q, k, v]: readonly tf.Tensor3D[],
  { batch, length, prompts }: RowLayout,
  { heads, kvHeads, headDim }: ModelConfig,
  keep?: KeepKeysAndValues,
): tf.Tensor2D {
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
  return tf.reshape(mixed, [q.shape[0], heads * headDim]);
}

/**
 * One block over whole sequences, or over shared prompts and what follows them: projection by projection.
 *
 * @param x [rows, hidden]
 * @returns [rows, hidden]
 */
export function block(
  x: tf.Tensor2D,
  layer: LayerWeights,
  layout: RowLayout,
  context: PassContext,
  keep?: KeepKeysAndValues,
): tf.Tensor2D {
  const attended = attend(attentionInputs(x, layer, context), layout, context.config, keep);
  return feedForward(project(attended, layer.o, context.adapter, x), layer, context);
}

/** The same by joint products, whose adapters say whether they take part. */
export function blockFused(
  x: tf.Tensor2D,
  layer: LayerWeights,
  joint: JointLayer,
  layout: RowLayout,
  { config, rotation }: Omit<PassContext, 'adapter'>,
  keep?: KeepKeysAndValues,
): tf.Tensor2D {
  // what one half leaves behind is given back before the other
  const y = tf.tidy(() => {
    const qkv = jointLinear(rmsNorm(x, layer.inputNorm, config.normEpsilon), joint.qkv);
    return jointLinear(attend(jointHeads(qkv, layer, config, rotation), layout, config, keep), joint.o, x);
  });
  return tf.tidy(() => {
    const both = jointLinear(rmsNorm(y, layer.postNorm, config.normEpsilon), joint.gateUp);
    return jointLinear(swigluHalves(both), joint.down, y);
  });
}

/** Queries, keys and values as in `attentionInputs`. */
function jointHeads(
  qkv: tf.Tensor2D,
  { qNorm, kNorm }: LayerWeights,
  config: ModelConfig,
  rotation: Rotation,
): tf.Tensor3D[] {
  if (!qNorm || !kNorm) return splitHeads(qkv, config, rotation, true);
  const [q, k, v] = splitHeads(qkv, config, rotation, false);
  const normed = (x: tf.Tensor3D, norm: tf.Tensor1D): tf.Tensor3D => {
    const heads = tf.reshape<tf.Rank.R2>(x, [-1, config.headDim]);
    return tf.reshape(rmsNorm(heads, norm, config.normEpsilon), x.shape);
  };
  return [rope(normed(q, qNorm), rotation), rope(normed(k, kNorm), rotation), v];
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
