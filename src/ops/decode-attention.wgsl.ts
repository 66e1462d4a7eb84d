/**
 * The fused twin of the decoder's attention. Each prompt's keys and values are stored once for all its samples; a row's
 * own are written in place into a buffer with room for all tokens to come. One workgroup serves one head of one row:
 * A tile of keys at a time, each invocation scores one key, and then each owns dimensions of the output.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../gpu/kernel';
import type { PromptKeyValues } from './decode-attention';
import { adapterTraits } from './matrix-product';
import { loadFour, storedAs } from './weight-load.wgsl';

export interface FusedKeyValueCache {
  kind: 'fused';
  rows: number;
  kvHeads: number;
  headDim: number;
  /** [prompts, prefix length, kvHeads, headDim] */
  prefixK: tf.Tensor4D;
  prefixV: tf.Tensor4D;
  /** [prompts] int32: real positions of each prompt */
  prefixLengths: tf.Tensor1D;
  /** [rows] int32 */
  promptOf: tf.Tensor1D;
  /** [rows, capacity, kvHeads * headDim] */
  suffixK: tf.Tensor3D;
  suffixV: tf.Tensor3D;
  capacity: number;
  /** Positions of the suffix that hold a token. */
  filled: number;
}

export function createFusedCache(
  { k, v }: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
  capacity: number,
): FusedKeyValueCache {
  const [, , kvHeads, headDim] = k.shape;
  const rows = promptOf.length;
  return {
    kind: 'fused',
    rows,
    kvHeads,
    headDim,
    prefixK: tf.keep(k),
    prefixV: tf.keep(v),
    prefixLengths: tf.keep(tf.tensor1d(Int32Array.from(prefixLengths), 'int32')),
    promptOf: tf.keep(tf.tensor1d(Int32Array.from(promptOf), 'int32')),
    suffixK: tf.keep(emptyTensor<tf.Rank.R3>([rows, capacity, kvHeads * headDim])),
    suffixV: tf.keep(emptyTensor<tf.Rank.R3>([rows, capacity, kvHeads * headDim])),
    capacity,
    filled: 0,
  };
}

const append = defineKernel({
  name: 'append key and value',
  inputs: { k: 'f32', v: 'f32' },
  outputs: { suffix_k: 'f32', suffix_v: 'f32' },
  uniforms: { rows: 'u32', width: 'u32', capacity: 'u32', position: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 64u + lane;
    if (i >= uniforms.rows * uniforms.width) { return; }
    let at = ((i / uniforms.width) * uniforms.capacity + uniforms.position) * uniforms.width + i % uniforms.width;
    suffix_k[at] = k[i];
    suffix_v[at] = v[i];`,
});

export function appendFused(cache: FusedKeyValueCache, k: tf.Tensor3D, v: tf.Tensor3D): void {
  const width = cache.kvHeads * cache.headDim;
  runKernel(append, {
    inputs: { k, v },
    outputs: { suffix_k: cache.suffixK, suffix_v: cache.suffixV },
    uniforms: { rows: cache.rows, width, capacity: cache.capacity, position: cache.filled },
    workgroups: foldedWorkgroups(Math.ceil((cache.rows * width) / 64)),
  });
  cache.filled++;
}

/**
 * Keys that are scored at a time, and invocations of a workgroup. A software adapter runs four in one vector register
 * and pays for every further one at each barrier.
 */
const tileOf = (isSoftware: boolean): number => (isSoftware ? 4 : 64);

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const attend = memoize(({ headDim, tile }: { headDim: number; tile: number }): Kernel => {
  const aligned = headDim % 4 === 0;
  const fours = Math.ceil(headDim / 4);
  const slices = range(Math.ceil(headDim / tile)); // dimensions per invocation
  const dot = (source: string): string =>
    range(fours)
      .map((c) => `s += dot(query[${c}], load_${source}(row, ${4 * c}u));`)
      .join(' ');
  return defineKernel({
    name: `decode attention ${headDim}`,
    inputs: {
      q: storedAs('f32', aligned),
      prefix_k: storedAs('f32', aligned),
      prefix_v: 'f32',
      suffix_k: storedAs('f32', aligned),
      suffix_v: 'f32',
      prefix_lengths: 'i32',
      prompt_of: 'i32',
    },
    outputs: { o: 'f32' },
    uniforms: {
      heads: 'u32',
      key_heads: 'u32',
      prefix_room: 'u32',
      capacity: 'u32',
      filled: 'u32',
      scale: 'f32',
    },
    workgroupSize: [tile, 1, 1],
    declarations: [
      ...['q', 'prefix_k', 'suffix_k'].map((name) => loadFour(name, 'f32', aligned, `${headDim}u`)),
      `var<workgroup> query: array<vec4<f32>, ${fours}>;
      var<workgroup> scores: array<f32, ${tile}>;
      var<workgroup> weights: array<f32, ${tile}>;`,
    ].join('\n'),
    body: `
      let head = group.y;
      let key_head = head / (uniforms.heads / uniforms.key_heads);
      let prompt = u32(prompt_of[group.x]);
      let prefix = u32(prefix_lengths[prompt]);
      let total = prefix + uniforms.filled;
      let prefix_row = prompt * uniforms.prefix_room;
      let suffix_row = group.x * uniforms.capacity;
      for (var c = lane; c < ${fours}u; c += ${tile}u) {
        query[c] = load_q(group.x * uniforms.heads + head, c * 4u) * uniforms.scale;
      }
      workgroupBarrier();
      var largest = -3.0e38;
      var sum = 0.0;
      ${slices.map((c) => `var o${c} = 0.0;`).join(' ')}
      for (var start = 0u; start < total; start += ${tile}u) {
        let key = start + lane;
        var s = -3.0e38;
        if (key < prefix) {
          let row = (prefix_row + key) * uniforms.key_heads + key_head;
          s = 0.0;
          ${dot('prefix_k')}
        } else if (key < total) {
          let row = (suffix_row + key - prefix) * uniforms.key_heads + key_head;
          s = 0.0;
          ${dot('suffix_k')}
        }
        scores[lane] = s;
        workgroupBarrier();
        let count = min(${tile}u, total - start);
        var raised = largest;
        for (var j = 0u; j < count; j++) { raised = max(raised, scores[j]); }
        weights[lane] = exp(s - raised);
        workgroupBarrier();
        let shrink = exp(largest - raised);
        largest = raised;
        sum *= shrink;
        ${slices.map((c) => `o${c} *= shrink;`).join(' ')}
        for (var j = 0u; j < count; j++) {
          let p = weights[j];
          sum += p;
          let at = start + j;
          if (at < prefix) {
            let first = ((prefix_row + at) * uniforms.key_heads + key_head) * ${headDim}u + lane;
            ${slices
              .map(
                (c) =>
                  `if (lane + ${c * tile}u < ${headDim}u) { o${c} += p * prefix_v[first + ${c * tile}u]; }`,
              )
              .join('\n')}
          } else {
            let first = ((suffix_row + at - prefix) * uniforms.key_heads + key_head) * ${headDim}u + lane;
            ${slices
              .map(
                (c) =>
                  `if (lane + ${c * tile}u < ${headDim}u) { o${c} += p * suffix_v[first + ${c * tile}u]; }`,
              )
              .join('\n')}
          }
        }
      }
      let out = (group.x * uniforms.heads + head) * ${headDim}u + lane;
      ${slices
        .map((c) => `if (lane + ${c * tile}u < ${headDim}u) { o[out + ${c * tile}u] = o${c} / sum; }`)
        .join('\n')}`,
  });
});

export function decodeAttentionFused(q: tf.Tensor3D, cache: FusedKeyValueCache): tf.Tensor3D {
  const [rows, heads, headDim] = q.shape;
  const o = emptyTensor<tf.Rank.R3>([rows, heads, headDim]);
  runKernel(attend({ headDim, tile: tileOf(adapterTraits().isSoftware) }), {
    inputs: {
      q,
      prefix_k: cache.prefixK,
      prefix_v: cache.prefixV,
      suffix_k: cache.suffixK,
      suffix_v: cache.suffixV,
      prefix_lengths: cache.prefixLengths,
      prompt_of: cache.promptOf,
    },
    outputs: { o },
    uniforms: {
      heads,
      key_heads: cache.kvHeads,
      prefix_room: cache.prefixK.shape[1],
      capacity: cache.capacity,
      filled: cache.filled,
      scale: 1 / Math.sqrt(headDim),
    },
    workgroups: [rows, heads, 1],
  });
  return o;
}

export function compactFused(cache: FusedKeyValueCache, alive: readonly number[]): void {
  const rows = tf.tensor1d(Int32Array.from(alive), 'int32');
  const take = <T extends tf.Tensor>(tensor: T): T => {
    const taken = tf.keep(tf.gather(tensor, rows));
    tensor.dispose();
    return taken;
  };
  cache.promptOf = take(cache.promptOf);
  cache.suffixK = take(cache.suffixK);
  cache.suffixV = take(cache.suffixV);
  cache.rows = alive.length;
  rows.dispose();
}

export function disposeFused(cache: FusedKeyValueCache): void {
  tf.dispose([
    cache.prefixK,
    cache.prefixV,
    cache.prefixLengths,
    cache.promptOf,
    cache.suffixK,
    cache.suffixV,
  ]);
}
