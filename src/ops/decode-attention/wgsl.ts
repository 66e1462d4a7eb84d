/**
 * WGSL kernel of the decoder's attention. Each prompt's keys and values are stored once for all its samples. A row's
 * own keys and values are written in place into a buffer with capacity for all future tokens. Those of wide heads are
 * bf16.
 *
 * One workgroup handles one head of one row. It rotates its query and the new key. The softmax starts with that key and
 * the new value, directly from the product of q, k and v. The stored keys follow, one tile at a time: each invocation
 * scores one key, then adds the values of some keys to four dimensions of the output. The sums over the keys of
 * different invocations are added at the end. The first of the heads that share a key head stores the key. No other
 * workgroup reads it in the same run.
 */
import * as tf from '@tensorflow/tfjs-core';
import { keyValueFormat } from '../../base/rows-at-once';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, emptyTensor, memoize, runKernel } from '../../gpu/kernel';
import { adapterTraits } from '../matmul';
import { range } from '../matmul/variant';
import type { RopeTables } from '../rope';
import { flattenWgsl } from '../flat/wgsl';
import { keepRows } from '../gather';
import { jointLinearWgsl } from '../joint-linear/wgsl';
import type { HeadNorms } from '../project-heads';
import { loadFour, storedAs, storeFour, type WeightFormat } from '../lib/weight-load.wgsl';
import type { DecodeAttention, KeyValueCache, PromptKeyValues } from './cache';

interface WgslKeyValueCache extends KeyValueCache {
  /** [prompts, prefix length, kvHeads, headDim] */
  prefixK: tf.Tensor4D;
  prefixV: tf.Tensor4D;
  /** [rows, 2] int32: each row's prompt index and number of real prompt positions */
  prefixes: tf.Tensor2D;
  /** [rows, 2, capacity, kvHeads * headDim], keys before values. bf16 is packed, two per word. */
  suffix: tf.Tensor4D;
  format: WeightFormat;
  /** [2 * headDim]: both weights of `HeadNorms`. Set by the first token. */
  norms: tf.Tensor1D | null;
}

export const decodeAttentionWgsl: DecodeAttention = {
  layOut: (prompt) => prompt,
  createCache,
  attend: (x, qkv, cache: WgslKeyValueCache, _, { tables }, norms) =>
    attendNewTokenWgsl(jointLinearWgsl(x, qkv), cache, tables, norms),
  compact,
  dispose,
};

function createCache(
  { k, v }: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
  capacity: number,
): WgslKeyValueCache {
  const [, , kvHeads, headDim] = k.shape;
  const rows = promptOf.length;
  const format = keyValueFormat({ headDim });
  const words = kvHeads * headDim * (format === 'bf16' ? 0.5 : 1);
  return {
    rows,
    kvHeads,
    headDim,
    prefixK: k,
    prefixV: v,
    prefixes: tf.keep(
      tf.tensor2d(
        Int32Array.from(promptOf.flatMap((prompt) => [prompt, prefixLengths[prompt]])),
        [rows, 2],
        'int32',
      ),
    ),
    suffix: tf.keep(
      emptyTensor<tf.Rank.R4>([rows, 2, capacity, words], format === 'bf16' ? 'int32' : 'float32'),
    ),
    format,
    norms: null,
    capacity,
    filled: 0,
  };
}

/**
 * Keys scored at a time, and invocations per workgroup. Language models, with wide heads and long sequences, take more:
 * few workgroups would otherwise leave most of a GPU idle. A software adapter runs four in one vector register, and every
 * further one adds cost at each barrier.
 */
function tileOf(isSoftware: boolean, headDim: number): number {
  if (isSoftware) return 4;
  return headDim < 32 ? 64 : 256;
}

/** Scores whose maximum one invocation finds. */
const SCORES_EACH = 16;

interface AttendVariant {
  headDim: number;
  tile: number;
  headNorm: boolean;
  format: WeightFormat;
}

const attend = memoize(({ headDim, tile, headNorm, format }: AttendVariant): Kernel => {
  const aligned = headDim % 4 === 0;
  const fours = Math.ceil(headDim / 4);
  const half = headDim / 2;
  const across = Math.min(fours, tile); // invocations side by side, which own all dimensions
  const parts = Math.floor(tile / across); // each adds up every `parts`-th value of a tile
  const slices = range(Math.ceil(fours / across)); // fours of dimensions per invocation
  const dot = (source: string): string =>
    range(fours)
      .map((c) => `s += dot(query[${c}], load_${source}(row, ${4 * c}u));`)
      .join(' ');
  const owns = (c: number): string => `(side + ${c * across}u < ${fours}u)`;
  const dimension = (c: number): string => `4u * (side + ${c * across}u)`;
  /** Adds p times the row's value to the dimensions that this invocation owns. */
  const addValue = (source: string): string =>
    slices.map((c) => `if ${owns(c)} { o${c} += p * load_${source}(row, ${dimension(c)}); }`).join('\n');
  const maxima = tile > SCORES_EACH ? tile / SCORES_EACH : 0;
  const largestOf = (list: string, from: string, count: number): string =>
    `for (var j = 0u; j < ${count}u; j++) { raised = max(raised, ${list}[${from} + j]); }`;
  return defineKernel({
    name: `attend new token ${headDim}`,
    inputs: {
      qkv: 'f32',
      angles: 'vec2<f32>',
      prefixes: 'i32',
      prefix_k: storedAs('f32', aligned),
      prefix_v: storedAs('f32', aligned),
      ...(headNorm ? { norms: 'f32' as const } : {}),
    },
    outputs: { suffix: storedAs(format, aligned), o: 'f32' }, // 8 buffers, because a GPU may bind no more
    uniforms: {
      heads: 'u32',
      key_heads: 'u32',
      prefix_room: 'u32',
      capacity: 'u32',
      filled: 'u32',
      scale: 'f32',
      epsilon: 'f32',
    },
    workgroupSize: [tile, 1, 1],
    declarations: [
      loadFour('prefix_k', 'f32', aligned, `${headDim}u`),
      loadFour('prefix_v', 'f32', aligned, `${headDim}u`),
      loadFour('suffix', format, aligned, `${headDim}u`),
      storeFour('suffix', format, headDim),
      `var<workgroup> query: array<vec4<f32>, ${fours}>;
      var<workgroup> fresh: array<vec4<f32>, ${fours}>;
      var<workgroup> scores: array<f32, ${tile}>;
      var<workgroup> weights: array<f32, ${tile}>;
      ${maxima > 0 ? `var<workgroup> maxima: array<f32, ${maxima}>;` : ''}
      ${
        parts > 1
          ? `var<workgroup> outputs: array<vec4<f32>, ${tile}>; var<workgroup> sums: array<f32, ${parts}>;`
          : ''
      }`,
      ...['q', 'k'].map((name, i) => rotated(name, headDim, headNorm ? i * headDim : null)),
      headNorm ? inverseNorm(headDim) : '',
    ].join('\n'),
    body: `
      let head = group.x; // those that share keys are side by side, so that a cache holds these for all of them
      let sample = group.y;
      let shared_by = uniforms.heads / uniforms.key_heads;
      let key_head = head / shared_by;
      let prompt = u32(prefixes[2u * sample]);
      let prefix = u32(prefixes[2u * sample + 1u]);
      let total = prefix + uniforms.filled;
      let prefix_row = prompt * uniforms.prefix_room;
      let key_rows = 2u * sample * uniforms.capacity;
      let value_rows = key_rows + uniforms.capacity;
      let first_head = sample * (uniforms.heads + 2u * uniforms.key_heads);
      let q_at = (first_head + head) * ${headDim}u;
      let k_at = (first_head + uniforms.heads + key_head) * ${headDim}u;
      let v_at = k_at + uniforms.key_heads * ${headDim}u;
      let angle = total * ${half}u;
      let q_factor = uniforms.scale * ${headNorm ? 'inverse_norm(q_at)' : '1.0'};
      let k_factor = ${headNorm ? 'inverse_norm(k_at)' : '1.0'};
      for (var c = lane; c < ${fours}u; c += ${tile}u) {
        query[c] = four_q(q_at, 4u * c, angle) * q_factor;
        fresh[c] = four_k(k_at, 4u * c, angle) * k_factor;
      }
      workgroupBarrier();
      if (head % shared_by == 0u) {
        let fresh_key = (key_rows + uniforms.filled) * uniforms.key_heads + key_head;
        let fresh_value = (value_rows + uniforms.filled) * uniforms.key_heads + key_head;
        for (var c = lane; c < ${fours}u; c += ${tile}u) {
          store_suffix(fresh_key, 4u * c, fresh[c]);
          var value = vec4<f32>(0.0);
          for (var z = 0u; z < min(4u, ${headDim}u - 4u * c); z++) { value[z] = qkv[v_at + 4u * c + z]; }
          store_suffix(fresh_value, 4u * c, value);
        }
      }
      var largest = 0.0;
      ${range(fours)
        .map((c) => `largest += dot(query[${c}], fresh[${c}]);`)
        .join(' ')}
      let side = lane % ${across}u;
      let part = lane / ${across}u;
      var sum = 0.0;
      ${slices.map((c) => `var o${c} = vec4<f32>(0.0);`).join(' ')}
      if (part == 0u) {
        sum = 1.0;
        for (var z = 0u; z < 4u; z++) {
          ${slices
            .map(
              (c) => `if (${dimension(c)} + z < ${headDim}u) { o${c}[z] = qkv[v_at + ${dimension(c)} + z]; }`,
            )
            .join('\n')}
        }
      }
      for (var start = 0u; start < total; start += ${tile}u) {
        let key = start + lane;
        var s = -3.0e38;
        if (key < prefix) {
          let row = (prefix_row + key) * uniforms.key_heads + key_head;
          s = 0.0;
          ${dot('prefix_k')}
        } else if (key < total) {
          let row = (key_rows + key - prefix) * uniforms.key_heads + key_head;
          s = 0.0;
          ${dot('suffix')}
        }
        scores[lane] = s;
        workgroupBarrier();
        var raised = largest;
        ${
          maxima > 0
            ? `if (lane < ${maxima}u) {
          ${largestOf('scores', `lane * ${SCORES_EACH}u`, SCORES_EACH)}
          maxima[lane] = raised;
        }
        workgroupBarrier();
        ${largestOf('maxima', '0u', maxima)}`
            : largestOf('scores', '0u', tile)
        }
        weights[lane] = exp(s - raised);
        workgroupBarrier();
        let shrink = exp(largest - raised);
        largest = raised;
        sum *= shrink;
        ${slices.map((c) => `o${c} *= shrink;`).join(' ')}
        let count = min(${tile}u, total - start);
        for (var j = select(count, part, part < ${parts}u); j < count; j += ${parts}u) {
          let p = weights[j];
          sum += p;
          let at = start + j;
          if (at < prefix) {
            let row = (prefix_row + at) * uniforms.key_heads + key_head;
            ${addValue('prefix_v')}
          } else {
            let row = (value_rows + at - prefix) * uniforms.key_heads + key_head;
            ${addValue('suffix')}
          }
        }
      }
      ${
        parts > 1
          ? `outputs[lane] = o0;
      if (side == 0u && part < ${parts}u) { sums[part] = sum; }
      workgroupBarrier();
      if (part == 0u) {
        for (var other = 1u; other < ${parts}u; other++) {
          o0 += outputs[other * ${across}u + side];
          sum += sums[other];
        }
      }`
          : ''
      }
      if (part == 0u) {
        let out = (sample * uniforms.heads + head) * ${headDim}u;
        for (var z = 0u; z < 4u; z++) {
          ${slices
            .map(
              (c) =>
                `if (${dimension(c)} + z < ${headDim}u) { o[out + ${dimension(c)} + z] = o${c}[z] / sum; }`,
            )
            .join('\n')}
        }
      }`,
  });
});

/**
 * `four_<name>(at, i, angle)`: dimensions i to i + 3 of the head that begins at `at`, rotated, and weighted if heads
 * are normalised; zero past the end. The caller applies the norm's factor, which is the same for all dimensions.
 *
 * @param firstNorm index of the first weight in `norms`
 */
function rotated(name: string, headDim: number, firstNorm: number | null): string {
  const half = headDim / 2;
  const value = (index: string): string =>
    firstNorm === null ? `qkv[at + ${index}]` : `(qkv[at + ${index}] * norms[${firstNorm}u + ${index}])`;
  return `
fn one_${name}(at: u32, i: u32, angle: u32) -> f32 {
  if (i >= ${headDim}u) { return 0.0; }
  if (i < ${half}u) {
    let turn = angles[angle + i];
    return ${value('i')} * turn.x - ${value(`(i + ${half}u)`)} * turn.y;
  }
  let turn = angles[angle + i - ${half}u];
  return ${value('i')} * turn.x + ${value(`(i - ${half}u)`)} * turn.y;
}
fn four_${name}(at: u32, i: u32, angle: u32) -> vec4<f32> {
  return vec4<f32>(${range(4)
    .map((z) => `one_${name}(at, i + ${z}u, angle)`)
    .join(', ')});
}`;
}

/** 1 / sqrt(mean of squares + epsilon) over the head that begins at `at`. */
const inverseNorm = (headDim: number): string => `
fn inverse_norm(at: u32) -> f32 {
  var squares = 0.0;
  for (var i = 0u; i < ${headDim}u; i++) { squares += qkv[at + i] * qkv[at + i]; }
  return inverseSqrt(squares / ${headDim}.0 + uniforms.epsilon);
}`;

function attendNewTokenWgsl(
  qkv: tf.Tensor2D,
  cache: WgslKeyValueCache,
  tables: RopeTables,
  norms: HeadNorms | null,
): tf.Tensor2D {
  const { rows, kvHeads, headDim } = cache;
  const heads = qkv.shape[1] / headDim - 2 * kvHeads;
  const o = emptyTensor<tf.Rank.R2>([rows, heads * headDim]);
  const tile = tileOf(adapterTraits().isSoftware, headDim);
  if (norms) cache.norms ??= tf.keep(flattenWgsl([norms.q, norms.k]));
  runKernel(attend({ headDim, tile, headNorm: norms !== null, format: cache.format }), {
    inputs: {
      qkv,
      angles: tables.angles,
      prefixes: cache.prefixes,
      prefix_k: cache.prefixK,
      prefix_v: cache.prefixV,
      ...(cache.norms && { norms: cache.norms }),
    },
    outputs: { suffix: cache.suffix, o },
    uniforms: {
      heads,
      key_heads: kvHeads,
      prefix_room: cache.prefixK.shape[1],
      capacity: cache.capacity,
      filled: cache.filled,
      scale: 1 / Math.sqrt(headDim),
      epsilon: norms?.epsilon ?? 0,
    },
    workgroups: [heads, rows, 1],
  });
  cache.filled++;
  return o;
}

function compact(cache: WgslKeyValueCache, alive: readonly number[]): void {
  cache.prefixes = keepRows(cache.prefixes, alive);
  cache.suffix = keepRows(cache.suffix, alive);
  cache.rows = alive.length;
}

function dispose({ prefixes, suffix, norms }: WgslKeyValueCache): void {
  tf.dispose([prefixes, suffix]);
  norms?.dispose();
}
