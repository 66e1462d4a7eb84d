/**
 * The WGSL kernel of `sharedPrefixAttention`, in the manner of attention/wgsl.ts: one invocation owns one row of one head. What a
 * row attends to is two ranges of rows, its prompt's and its own sequence's up to itself, so whole sequences, prompts and
 * branches are one case. On the way back a key row is attended to by the rest of its own sequence and, where it belongs to
 * a prompt, by all rows of the prompt's branches, which stand together.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel, emptyTensor, memoize, runKernel } from '../../gpu/kernel';
import { dot, each, nextKey, storeHead, sumOverSharedHeads } from '../attention/wgsl';
import { differentiable } from '../lib/differentiable';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

/** How the branches hang on their prompts: group g owns branches g * samples to (g + 1) * samples - 1. */
export interface Branches {
  samples: number;
  /** Real tokens of each group's prompt part; the rest is padding on the right. */
  prefixLengths: readonly number[];
}

/** How rows stand for prompts and branches: all prompts' rows, padded to one length, and then all branches', likewise. */
export interface BranchLayout {
  /** Branches, and the padded length of each. */
  batch: number;
  length: number;
  prompts: { length: number; branches: Branches };
}

const THREADS = 64;

/** Columns of `spans`, one line per row. */
const SPAN = 6;

/**
 * For every row: first row and end of its own sequence, first row and end of its prompt (both 0 where it has none), and
 * first row and end of its branches (both 0 where it is no real row of a prompt). [rows * 6] int32
 */
function rowSpans({ batch, length, prompts }: BranchLayout): Int32Array {
  const { branches, length: prefix } = prompts;
  const groups = branches.prefixLengths.length;
  const promptRows = groups * prefix;
  const spans = new Int32Array((promptRows + batch * length) * SPAN);
  branches.prefixLengths.forEach((real, group) => {
    const firstBranch = promptRows + group * branches.samples * length;
    for (let t = 0; t < prefix; t++) {
      const row = group * prefix + t;
      const attended = t < real ? [firstBranch, firstBranch + branches.samples * length] : [0, 0];
      spans.set([group * prefix, (group + 1) * prefix, 0, 0, ...attended], row * SPAN);
    }
  });
  for (let branch = 0; branch < batch; branch++) {
    const group = Math.floor(branch / branches.samples);
    const start = promptRows + branch * length;
    const prompt = [group * prefix, group * prefix + branches.prefixLengths[group]];
    for (let t = 0; t < length; t++) {
      spans.set([start, start + length, ...prompt, 0, 0], (start + t) * SPAN);
    }
  }
  return spans;
}

/** Queries with the keys that they attend to, padding included. */
function pairsOf({ batch, length, prompts: { length: prefix, branches } }: BranchLayout): number {
  const groups = branches.prefixLengths.length;
  return (groups * prefix * prefix) / 2 + batch * length * (prefix + length / 2);
}

function rowKernel(
  name: string,
  vectors: readonly string[],
  others: readonly string[],
  outputs: KernelSource['outputs'],
  headDim: number,
  body: string,
): Kernel {
  const aligned = headDim % 4 === 0;
  return defineKernel({
    name: `branch attention ${name} ${headDim}`,
    inputs: {
      spans: 'i32',
      ...Object.fromEntries(vectors.map((vector) => [vector, storedAs('f32', aligned)])),
      ...Object.fromEntries(others.map((other) => [other, 'f32'] as const)),
    },
    outputs,
    uniforms: { rows: 'u32', heads: 'u32', key_heads: 'u32', scale: 'f32' },
    workgroupSize: [THREADS, 1, 1],
    declarations: vectors.map((vector) => loadFour(vector, 'f32', aligned, `${headDim}u`)).join('\n'),
    body: `
      let row = group.x * ${THREADS}u + lane;
      let head = group.y;
      if (row >= uniforms.rows) { return; }
      let sharing = uniforms.heads / uniforms.key_heads;
      let key_head = head / sharing;
      let own_first = u32(spans[row * ${SPAN}u]);
      let query_row = row * uniforms.heads + head;
      ${body}`,
  });
}

/** The same lines for the rows of the prompt and then for those of the row's own sequence up to itself. */
const overKeys = (lines: string): string => `
  let prompt_end = u32(spans[row * ${SPAN}u + 3u]);
  for (var key = u32(spans[row * ${SPAN}u + 2u]); key < prompt_end; key++) { ${lines} }
  for (var key = own_first; key <= row; key++) { ${lines} }`;

/** The same lines for the rest of the row's own sequence and then for the rows of its branches. */
const overQueries = (lines: string): string => `
  let own_end = u32(spans[row * ${SPAN}u + 1u]);
  for (var query = row; query < own_end; query++) { ${lines} }
  let branch_end = u32(spans[row * ${SPAN}u + 5u]);
  for (var query = u32(spans[row * ${SPAN}u + 4u]); query < branch_end; query++) { ${lines} }`;

const forwardKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return rowKernel(
    'forward',
    ['q', 'k', 'v'],
    [],
    { o: 'f32', row_sums: 'f32' },
    headDim,
    `
      ${each(fours, 'let q# = load_q(query_row, #u * 4u) * uniforms.scale; var o# = vec4<f32>(0.0);')}
      var largest = -3.0e38;
      var sum = 0.0;
      ${overKeys(`
        let at = key * uniforms.key_heads + key_head;
        ${nextKey(fours)}`)}
      ${each(fours, 'o# = o# / sum;')}
      ${storeHead('o', 'query_row', 'o', headDim)}
      row_sums[2u * query_row] = largest + log(sum);`,
  );
});

const queryGradientKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return rowKernel(
    'query gradient',
    ['q', 'k', 'v', 'o', 'd_o'],
    [],
    { d_q: 'f32', row_sums: 'f32' },
    headDim,
    `
      ${each(
        fours,
        `let q# = load_q(query_row, #u * 4u) * uniforms.scale;
         let g# = load_d_o(query_row, #u * 4u);
         var d# = vec4<f32>(0.0);`,
      )}
      var delta = 0.0;
      ${each(fours, 'delta += dot(g#, load_o(query_row, #u * 4u));')}
      let log_sum = row_sums[2u * query_row];
      ${overKeys(`
        let at = key * uniforms.key_heads + key_head;
        ${each(fours, 'let k# = load_k(at, #u * 4u); let v# = load_v(at, #u * 4u);')}
        let p = exp(${dot(fours, 'q', 'k')} - log_sum);
        let ds = p * (${dot(fours, 'g', 'v')} - delta) * uniforms.scale;
        ${each(fours, 'd# += ds * k#;')}`)}
      ${storeHead('d_q', 'query_row', 'd', headDim)}
      row_sums[2u * query_row + 1u] = delta;`,
  );
});

/** By query head: one invocation per key row goes over the queries that attend to it. */
const keyValueGradientKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return rowKernel(
    'key and value gradient',
    ['q', 'k', 'v', 'd_o'],
    ['row_sums'],
    { d_k: 'f32', d_v: 'f32' },
    headDim,
    `
      let key_row = row * uniforms.key_heads + key_head;
      ${each(
        fours,
        `let k# = load_k(key_row, #u * 4u) * uniforms.scale;
         let v# = load_v(key_row, #u * 4u);
         var d# = vec4<f32>(0.0);
         var e# = vec4<f32>(0.0);`,
      )}
      ${overQueries(`
        let at = query * uniforms.heads + head;
        ${each(fours, 'let q# = load_q(at, #u * 4u); let g# = load_d_o(at, #u * 4u);')}
        let p = exp(${dot(fours, 'k', 'q')} - row_sums[2u * at]);
        let ds = p * (${dot(fours, 'v', 'g')} - row_sums[2u * at + 1u]) * uniforms.scale;
        ${each(fours, 'd# += ds * q#; e# += p * g#;')}`)}
      ${storeHead('d_k', 'query_row', 'd', headDim)}
      ${storeHead('d_v', 'query_row', 'e', headDim)}`,
  );
});

export function sharedPrefixAttentionFused(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
): tf.Tensor3D {
  const [rows, heads, headDim] = q.shape;
  const uniforms = { rows, heads, key_heads: k.shape[1], scale: 1 / Math.sqrt(headDim) };
  const workgroups = [Math.ceil(rows / THREADS), heads, 1] as const;
  const scoring = 2 * heads * headDim * pairsOf(layout);
  return differentiable([q, k, v], () => {
    const spans = tf.tensor1d(rowSpans(layout), 'int32');
    const o = emptyTensor<tf.Rank.R3>(q.shape);
    // per query: the logarithm of its sum, and on the way back its delta: in one buffer, since a GPU may bind only 8
    const rowSums = emptyTensor<tf.Rank.R3>([rows, heads, 2]);
    runKernel(forwardKernel(headDim), {
      inputs: { spans, q, k, v },
      outputs: { o, row_sums: rowSums },
      uniforms,
      workgroups,
      flops: 2 * scoring,
    });
    return {
      value: o,
      saved: [q, k, v, o, rowSums, spans],
      gradient: (dy, [qSaved, kSaved, vSaved, oSaved, sums, spansSaved]) => {
        const dQ = emptyTensor<tf.Rank.R3>(q.shape);
        const dK = emptyTensor<tf.Rank.R3>(q.shape);
        const dV = emptyTensor<tf.Rank.R3>(q.shape);
        const held = { spans: spansSaved, q: qSaved, k: kSaved, v: vSaved, d_o: dy };
        runKernel(queryGradientKernel(headDim), {
          inputs: { ...held, o: oSaved },
          outputs: { d_q: dQ, row_sums: sums },
          uniforms,
          workgroups,
          flops: 3 * scoring,
        });
        runKernel(keyValueGradientKernel(headDim), {
          inputs: { ...held, row_sums: sums },
          outputs: { d_k: dK, d_v: dV },
          uniforms,
          workgroups,
          flops: 4 * scoring,
        });
        return [() => dQ, () => sumOverSharedHeads(dK, k.shape), () => sumOverSharedHeads(dV, k.shape)];
      },
    };
  });
}
