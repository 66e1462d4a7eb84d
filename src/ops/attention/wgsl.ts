/**
 * The WGSL kernel of `attention`. One invocation owns one query (or, on the way back, one key) of one head, holds its
 * vectors in registers and goes over the keys (queries) with a running maximum and sum, so that no score is ever
 * written. All invocations of a workgroup read the same key at the same time, which every cache serves well without
 * workgroup memory and barriers.
 *
 * With s = q k / sqrt(headDim), p = exp(s - L), L the log-sum-exp of a query's scores, and delta = do · o:
 *   dv = sum p do,   ds = p (do · v - delta),   dq = sum ds k / sqrt(headDim),   dk = sum ds q / sqrt(headDim).
 * dk and dv are summed per query head first and then over the heads that share a key head, both in order.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

const THREADS = 64;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** One line for every four dimensions of a head, with `#` replaced by their number. */
export const each = (fours: number, line: string): string =>
  range(fours)
    .map((c) => line.replaceAll('#', String(c)))
    .join('\n');

/** Sum over a head of products, as an expression. */
export const dot = (fours: number, a: string, b: string): string =>
  range(fours)
    .map((c) => `dot(${a}${c}, ${b}${c})`)
    .join(' + ');

/**
 * The key and value row `at` in a running softmax: raises `largest` where its score is larger, and shrinks `sum` and `o` so.
 * Taking several keys at once spares exponentials and was slower on software adapters: CPU
 * milliseconds of prompts with heads of 16, 20 against 17 on SwiftShader and 8 against 4 on llvmpipe.
 */
export const nextKey = (fours: number): string => `
  var s = 0.0;
  ${each(fours, 's += dot(q#, load_k(at, #u * 4u));')}
  let raised = max(largest, s);
  let shrink = exp(largest - raised);
  let p = exp(s - raised);
  largest = raised;
  sum = sum * shrink + p;
  ${each(fours, 'o# = o# * shrink + p * load_v(at, #u * 4u);')}`;

interface HeadKernel {
  name: string;
  inputs: string[];
  outputs: KernelSource['outputs'];
  /** Those of `inputs` that are read four dimensions at a time. */
  vectors: string[];
  headDim: number;
  body: string;
}

/** A kernel with one invocation per position along x, head along y and sequence along z. */
function headKernel({ name, inputs, outputs, vectors, headDim, body }: HeadKernel): Kernel {
  const aligned = headDim % 4 === 0;
  return defineKernel({
    name,
    inputs: Object.fromEntries(
      inputs.map((input) => [input, vectors.includes(input) ? storedAs('f32', aligned) : 'f32']),
    ),
    outputs,
    uniforms: { length: 'u32', heads: 'u32', key_heads: 'u32', scale: 'f32' },
    workgroupSize: [THREADS, 1, 1],
    declarations: vectors.map((vector) => loadFour(vector, 'f32', aligned, `${headDim}u`)).join('\n'),
    body: `
      let position = group.x * ${THREADS}u + lane;
      let head = group.y;
      let first_row = group.z * uniforms.length;
      if (position >= uniforms.length) { return; }
      let key_head = head / (uniforms.heads / uniforms.key_heads);
      let query_row = (first_row + position) * uniforms.heads + head;
      let statistic = (group.z * uniforms.heads + head) * uniforms.length;
      ${body}`,
  });
}

/** Writes vec4 variables as one head's row, dimension by dimension where 4 does not divide it. */
export const storeHead = (output: string, row: string, variable: string, headDim: number): string =>
  range(headDim)
    .map((d) => `${output}[${row} * ${headDim}u + ${d}u] = ${variable}${d >> 2}[${d & 3}];`)
    .join('\n');

const forwardKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return headKernel({
    name: `attention ${headDim}`,
    inputs: ['q', 'k', 'v'],
    vectors: ['q', 'k', 'v'],
    outputs: { o: 'f32', log_sums: 'f32' },
    headDim,
    body: `
      ${each(fours, 'let q# = load_q(query_row, #u * 4u) * uniforms.scale; var o# = vec4<f32>(0.0);')}
      var largest = -3.0e38;
      var sum = 0.0;
      for (var key = 0u; key <= position; key++) {
        let at = (first_row + key) * uniforms.key_heads + key_head;
        ${nextKey(fours)}
      }
      ${each(fours, 'o# = o# / sum;')}
      ${storeHead('o', 'query_row', 'o', headDim)}
      log_sums[statistic + position] = largest + log(sum);`,
  });
});

const queryGradientKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return headKernel({
    name: `attention query gradient ${headDim}`,
    inputs: ['q', 'k', 'v', 'o', 'd_o', 'log_sums'],
    vectors: ['q', 'k', 'v', 'o', 'd_o'],
    outputs: { d_q: 'f32', deltas: 'f32' },
    headDim,
    body: `
      ${each(
        fours,
        `let q# = load_q(query_row, #u * 4u) * uniforms.scale;
         let g# = load_d_o(query_row, #u * 4u);
         var d# = vec4<f32>(0.0);`,
      )}
      var delta = 0.0;
      ${each(fours, 'delta += dot(g#, load_o(query_row, #u * 4u));')}
      let log_sum = log_sums[statistic + position];
      for (var key = 0u; key <= position; key++) {
        let row = (first_row + key) * uniforms.key_heads + key_head;
        ${each(fours, 'let k# = load_k(row, #u * 4u); let v# = load_v(row, #u * 4u);')}
        let p = exp(${dot(fours, 'q', 'k')} - log_sum);
        let ds = p * (${dot(fours, 'g', 'v')} - delta) * uniforms.scale;
        ${each(fours, 'd# += ds * k#;')}
      }
      ${storeHead('d_q', 'query_row', 'd', headDim)}
      deltas[statistic + position] = delta;`,
  });
});

/** Per query head: one invocation per key goes over the queries from its own position on. */
const valueGradientKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return headKernel({
    name: `attention value gradient ${headDim}`,
    inputs: ['q', 'k', 'd_o', 'log_sums'],
    vectors: ['q', 'k', 'd_o'],
    outputs: { d_v: 'f32' },
    headDim,
    body: `
      let key_row = (first_row + position) * uniforms.key_heads + key_head;
      ${each(fours, 'let k# = load_k(key_row, #u * 4u) * uniforms.scale; var d# = vec4<f32>(0.0);')}
      for (var query = position; query < uniforms.length; query++) {
        let row = (first_row + query) * uniforms.heads + head;
        var s = -log_sums[statistic + query];
        ${each(fours, 's += dot(k#, load_q(row, #u * 4u));')}
        let p = exp(s);
        ${each(fours, 'd# += p * load_d_o(row, #u * 4u);')}
      }
      ${storeHead('d_v', 'query_row', 'd', headDim)}`,
  });
});

const keyGradientKernel = memoize((headDim: number): Kernel => {
  const fours = Math.ceil(headDim / 4);
  return headKernel({
    name: `attention key gradient ${headDim}`,
    inputs: ['q', 'k', 'v', 'd_o', 'log_sums', 'deltas'],
    vectors: ['q', 'k', 'v', 'd_o'],
    outputs: { d_k: 'f32' },
    headDim,
    body: `
      let key_row = (first_row + position) * uniforms.key_heads + key_head;
      ${each(
        fours,
        `let k# = load_k(key_row, #u * 4u) * uniforms.scale;
         let v# = load_v(key_row, #u * 4u);
         var d# = vec4<f32>(0.0);`,
      )}
      for (var query = position; query < uniforms.length; query++) {
        let row = (first_row + query) * uniforms.heads + head;
        ${each(fours, 'let q# = load_q(row, #u * 4u);')}
        var s = -log_sums[statistic + query];
        ${each(fours, 's += dot(k#, q#);')}
        var along = -deltas[statistic + query];
        ${each(fours, 'along += dot(v#, load_d_o(row, #u * 4u));')}
        let ds = exp(s) * along * uniforms.scale;
        ${each(fours, 'd# += ds * q#;')}
      }
      ${storeHead('d_k', 'query_row', 'd', headDim)}`,
  });
});

/** result[row, key head] = sum of x[row, head] over the heads that share it. */
const sumSharedHeads = defineKernel({
  name: 'sum shared heads',
  inputs: { x: 'f32' },
  outputs: { result: 'f32' },
  uniforms: { size: 'u32', dim: 'u32', sharing: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 64u + lane;
    if (i >= uniforms.size) { return; }
    let first = (i / uniforms.dim) * uniforms.sharing * uniforms.dim + i % uniforms.dim;
    var sum = 0.0;
    for (var h = 0u; h < uniforms.sharing; h++) { sum += x[first + h * uniforms.dim]; }
    result[i] = sum;`,
});

/** Sums a gradient by query head over the heads that share a key head; `perHead` is disposed of or handed on. */
export function sumOverSharedHeads<R extends tf.Rank>(
  perHead: tf.Tensor<R>,
  shape: tf.ShapeMap[R],
): tf.Tensor<R> {
  const dim = shape[shape.length - 1];
  const sharing = perHead.size / tf.util.sizeFromShape(shape);
  if (sharing === 1) return perHead;
  const result = emptyTensor<R>(shape);
  runKernel(sumSharedHeads, {
    inputs: { x: perHead },
    outputs: { result },
    uniforms: { size: result.size, dim, sharing },
    workgroups: foldedWorkgroups(Math.ceil(result.size / 64)),
  });
  perHead.dispose();
  return result;
}

export function attentionFused(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D): tf.Tensor4D {
  const [batch, length, heads, headDim] = q.shape;
  const keyHeads = k.shape[2];
  const uniforms = { length, heads, key_heads: keyHeads, scale: 1 / Math.sqrt(headDim) };
  const workgroups = [Math.ceil(length / THREADS), heads, batch] as const;
  const scoring = batch * heads * length * length * headDim; // of every query with the keys up to it
  const overHeads = (perHead: tf.Tensor4D): tf.Tensor4D =>
    sumOverSharedHeads(perHead, [batch, length, keyHeads, headDim]);
  return differentiable([q, k, v], () => {
    const o = emptyTensor<tf.Rank.R4>(q.shape);
    const logSums = emptyTensor<tf.Rank.R3>([batch, heads, length]);
    runKernel(forwardKernel(headDim), {
      inputs: { q, k, v },
      outputs: { o, log_sums: logSums },
      uniforms,
      workgroups,
      flops: 2 * scoring,
    });
    return {
      value: o,
      saved: [q, k, v, o, logSums],
      gradient: (dy, [qSaved, kSaved, vSaved, oSaved, sums]) => {
        const dQ = emptyTensor<tf.Rank.R4>(q.shape);
        const deltas = emptyTensor<tf.Rank.R3>([batch, heads, length]);
        const held = { q: qSaved, k: kSaved, d_o: dy, log_sums: sums };
        runKernel(queryGradientKernel(headDim), {
          inputs: { ...held, v: vSaved, o: oSaved },
          outputs: { d_q: dQ, deltas },
          uniforms,
          workgroups,
          flops: 3 * scoring,
        });
        const keyGradient = (): tf.Tensor4D => {
          const dK = emptyTensor<tf.Rank.R4>(q.shape);
          const inputs = { ...held, v: vSaved, deltas };
          runKernel(keyGradientKernel(headDim), {
            inputs,
            outputs: { d_k: dK },
            uniforms,
            workgroups,
            flops: 3 * scoring,
          });
          return overHeads(dK);
        };
        const valueGradient = (): tf.Tensor4D => {
          const dV = emptyTensor<tf.Rank.R4>(q.shape);
          runKernel(valueGradientKernel(headDim), {
            inputs: held,
            outputs: { d_v: dV },
            uniforms,
            workgroups,
            flops: 2 * scoring,
          });
          return overHeads(dV);
        };
        return [() => dQ, keyGradient, valueGradient];
      },
    };
  });
}
