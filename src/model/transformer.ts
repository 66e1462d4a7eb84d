/**
 * The forward pass of a Qwen2-layout transformer: RMSNorm, grouped-query attention with rotary positions, SwiGLU, in
 * pre-norm blocks. One block is one function from its input to its output, since the backward pass recomputes single blocks.
 * Rows are all positions of all sequences, [batch * T, hidden] with padding or fewer without it; in decoding they are one new
 * token per sequence. Only attention needs the padding.
 */
import * as tf from '@tensorflow/tfjs-core';
import { attention, branchCount, paddedRows, promptRowsOf } from '../ops/attention';
import { attendNewToken, type KeyValueCache } from '../ops/decode-attention';
import { jointLinear, type JointProjection } from '../ops/joint-linear';
import { projectHeads, type HeadNorms } from '../ops/project-heads';
import { gather, scatter } from '../ops/gather';
import { rmsNorm } from '../ops/rms-norm';
import { acceptsLastRows } from '../ops/lib/shape';
import { allowsFma } from '../ops/lib/weight';
import type { RopeTables, Rotation } from '../ops/rope';
import { swiglu } from '../ops/swiglu';
import type { ModelConfig } from './config';
import type { RowLayout } from './batch';
import type { LayerWeights, TransformerWeights } from './weights';

/** A model for one pass: configuration, weights and tables of rotary positions. */
export interface PassModel {
  config: ModelConfig;
  weights: TransformerWeights;
  tables: RopeTables;
}

/**
 * Number of leading rows whose output of the last block is not needed: the rows of shared prompts. Their branches start with
 * the prompt's last token, which predicts the first response token. The ops on wasm can skip these rows.
 */
export function unneededRows(layout: RowLayout): number {
  return layout.places && acceptsLastRows() ? promptRowsOf(layout) : 0;
}

/** Receives the rotated keys and the values of each layer, [batch, T, kvHeads, headDim], during a prefill. */
export type KeepKeysAndValues = (layer: number, k: tf.Tensor4D, v: tf.Tensor4D) => void;

/** Computes the attention output [rows, heads * headDim] for the normed input `h` [rows, hidden]. */
type Attend = (h: tf.Tensor2D, qkv: JointProjection, norms: HeadNorms | null) => tf.Tensor2D;

/**
 * One block: y = x + o(attend(norm(x))), then y + down(swiglu(norm(y))). The temporaries of the first half are disposed of
 * before the second.
 *
 * @param x [rows, hidden]
 * @returns [rows, hidden]
 */
function block(
  x: tf.Tensor2D,
  { inputNorm, qkv, qNorm, kNorm, o, postNorm, gateUp, down }: LayerWeights,
  { normEpsilon }: ModelConfig,
  attend: Attend,
): tf.Tensor2D {
  const norms = qNorm && kNorm && { q: qNorm, k: kNorm, epsilon: normEpsilon };
  const y = tf.tidy(() => jointLinear(attend(rmsNorm(x, inputNorm, normEpsilon), qkv, norms), o, x));
  return tf.tidy(() => jointLinear(swiglu(rmsNorm(y, postNorm, normEpsilon), gateUp), down, y));
}

/**
 * One layer's block over whole sequences, or over shared prompts and their branches.
 *
 * @param x [rows, hidden]
 * @returns [rows, hidden]; the last layer omits the `unneededRows`
 */
export function sequenceBlock(
  { config, weights }: PassModel,
  layer: number,
  x: tf.Tensor2D,
  layout: RowLayout,
  rotation: Rotation,
  keep?: KeepKeysAndValues,
): tf.Tensor2D {
  const { length, prompts, places } = layout;
  const skipped = layer === config.layers - 1 ? unneededRows(layout) : 0;
  return block(x, weights.layers[layer], config, (h, qkv, norms) => {
    const [q, k, v] = projectHeads(h, qkv, config, rotation, norms, skipped);
    // Whole sequences attend with their padding: it determines the order of their sums, and the KV cache includes it.
    const pads = places !== undefined && prompts.length === 0;
    const padded = (heads: tf.Tensor3D): tf.Tensor3D =>
      pads ? scatter(heads, places, paddedRows(layout)) : heads;
    const [keys, values] = [padded(k), padded(v)];
    if (keep) {
      const shape: [number, number, number, number] = [
        branchCount(layout),
        length,
        config.kvHeads,
        config.headDim,
      ];
      keep(layer, tf.reshape(keys, shape), tf.reshape(values, shape));
    }
    const fma = allowsFma(qkv.weight);
    const mixed = attention(padded(q), keys, values, layout, pads ? undefined : places, fma);
    const rows = tf.reshape<tf.Rank.R2>(mixed, [-1, config.heads * config.headDim]);
    return pads ? gather(rows, places) : rows;
  });
}

/** One layer's block for one new token per row, whose key and value are appended to the cache. @param x [rows, hidden] */
export function newTokenBlock(
  { config, weights }: PassModel,
  layer: number,
  x: tf.Tensor2D,
  cache: KeyValueCache,
  rotation: Rotation,
): tf.Tensor2D {
  return block(x, weights.layers[layer], config, (h, qkv, norms) =>
    attendNewToken(h, qkv, cache, rotation, norms),
  );
}
