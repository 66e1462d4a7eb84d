/**
 * WGSL kernels of `attention`. An invocation owns one row of one head and holds its vectors
 * in registers. It iterates over the keys (in the backward pass, the queries) with a running maximum and sum, so scores
 * are never stored. All invocations of a workgroup read the same key at the same time, which suits every cache.
 *
 * A row attends to two ranges of rows: its prompt, and its own sequence up to itself. Whole sequences, prompts and
 * branches are therefore one case. In the backward pass, a key row receives gradients from the rest of its own
 * sequence. A prompt's key row also receives them from all rows of the prompt's branches, which are contiguous.
 *
 * With s = q k / sqrt(headDim), p = exp(s - L), L the log-sum-exp of a query's scores, and delta = do · o:
 *   dv = sum p do,   ds = p (do · v - delta),   dq = sum ds k / sqrt(headDim),   dk = sum ds q / sqrt(headDim).
 * dk and dv are summed per query head first and then over the heads that share a key head, both in order.
 *
 * Several invocations share a row with a wide head. Each handles some of its dimensions, and workgroup memory combines
 * their partial dot products. One invocation has too few registers for the whole head (docs/engine.md).
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { elementKernel, emptyTensor, memoize, runElements, runKernel } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import { pairsOf, rowSpans, type BranchLayout } from './layout';
import {
  dots,
  each,
  keys,
  over,
  queries,
  rowKernel,
  rowsTogether,
  store,
  variantOf,
  type HeadVariant,
} from './row-kernel.wgsl';

/**
 * One key per iteration. Several keys per iteration save exponentials but were slower on software adapters: CPU
 * milliseconds of prompts with heads of 16 were 20 against 17 on SwiftShader and 8 against 4 on llvmpipe.
 */
const forwardKernel = memoize((variant: HeadVariant): Kernel =>
  rowKernel(
    'forward',
    ['q', 'k', 'v'],
    [],
    { o: 'f32', row_sums: 'f32' },
    variant,
    `
      ${each(variant, 'let q# = load_q(query_row, @) * uniforms.scale; var o# = vec4<f32>(0.0);')}
      var largest = -3.0e38;
      var sum = 0.0;
      ${over(
        variant,
        keys,
        `
        let at = other * uniforms.key_heads + key_head;
        ${each(variant, 'let k# = load_k(at, @);')}
        ${dots(variant, { s: ['q', 'k'] })}
        let raised = max(largest, s);
        let shrink = exp(largest - raised);
        let p = select(0.0, exp(s - raised), there);
        largest = raised;
        sum = sum * shrink + p;
        ${each(variant, 'o# = o# * shrink + p * load_v(at, @);')}`,
      )}
      ${each(variant, 'o# = o# / sum;')}
      ${store(variant, 'o', 'o')}
      if (asked < uniforms.rows) { row_sums[2u * query_row] = largest + log(sum); }`,
  ),
);

const queryGradientKernel = memoize((variant: HeadVariant): Kernel =>
  rowKernel(
    'query gradient',
    ['q', 'k', 'v', 'o', 'd_o'],
    [],
    { d_q: 'f32', row_sums: 'f32' },
    variant,
    `
      ${each(
        variant,
        `let q# = load_q(query_row, @) * uniforms.scale;
         let g# = load_d_o(query_row, @);
         let o# = load_o(query_row, @);
         var d# = vec4<f32>(0.0);`,
      )}
      let turn = 1u;
      ${dots(variant, { delta: ['g', 'o'] })}
      let log_sum = row_sums[2u * query_row];
      ${over(
        variant,
        keys,
        `
        let at = other * uniforms.key_heads + key_head;
        ${each(variant, 'let k# = load_k(at, @); let v# = load_v(at, @);')}
        ${dots(variant, { score: ['q', 'k'], along: ['g', 'v'] })}
        let p = select(0.0, exp(score - log_sum), there);
        let ds = p * (along - delta) * uniforms.scale;
        ${each(variant, 'd# += ds * k#;')}`,
      )}
      ${store(variant, 'd_q', 'd')}
      if (asked < uniforms.rows) { row_sums[2u * query_row + 1u] = delta; }`,
  ),
);

/** Gradients per query head: each key row iterates over the queries that attend to it. */
const keyValueGradientKernel = memoize((variant: HeadVariant): Kernel =>
  rowKernel(
    'key and value gradient',
    ['q', 'k', 'v', 'd_o'],
    ['row_sums'],
    { d_k: 'f32', d_v: 'f32' },
    variant,
    `
      let key_row = row * uniforms.key_heads + key_head;
      ${each(
        variant,
        `let k# = load_k(key_row, @) * uniforms.scale;
         let v# = load_v(key_row, @);
         var d# = vec4<f32>(0.0);
         var e# = vec4<f32>(0.0);`,
      )}
      ${over(
        variant,
        queries,
        `
        let at = other * uniforms.heads + head;
        ${each(variant, 'let q# = load_q(at, @); let g# = load_d_o(at, @);')}
        ${dots(variant, { score: ['k', 'q'], along: ['v', 'g'] })}
        let p = select(0.0, exp(score - row_sums[2u * at]), there);
        let ds = p * (along - row_sums[2u * at + 1u]) * uniforms.scale;
        ${each(variant, 'd# += ds * q#; e# += p * g#;')}`,
      )}
      ${store(variant, 'd_k', 'd')}
      ${store(variant, 'd_v', 'e')}`,
  ),
);

/** result[row, key head] = sum of x[row, head] over the heads that share it. */
const sumSharedHeads = elementKernel({
  name: 'sum shared heads',
  inputs: { x: 'f32' },
  outputs: { result: 'f32' },
  uniforms: { dim: 'u32', sharing: 'u32' },
  body: `
    let first = (i / uniforms.dim) * uniforms.sharing * uniforms.dim + i % uniforms.dim;
    var sum = 0.0;
    for (var h = 0u; h < uniforms.sharing; h++) { sum += x[first + h * uniforms.dim]; }
    result[i] = sum;`,
});

/** Sums a per-query-head gradient over the heads that share a key head. Disposes of `perHead` or returns it. */
function sumOverSharedHeads<R extends tf.Rank>(perHead: tf.Tensor<R>, shape: tf.ShapeMap[R]): tf.Tensor<R> {
  const dim = shape[shape.length - 1];
  const sharing = perHead.size / tf.util.sizeFromShape(shape);
  if (sharing === 1) return perHead;
  const result = emptyTensor<R>(shape);
  runElements(sumSharedHeads, result.size, {
    inputs: { x: perHead },
    outputs: { result },
    uniforms: { dim, sharing },
  });
  perHead.dispose();
  return result;
}

export function attentionWgsl(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
): tf.Tensor3D {
  const [rows, heads, headDim] = q.shape;
  const variant = variantOf(headDim);
  const uniforms = { rows, heads, key_heads: k.shape[1], scale: 1 / Math.sqrt(headDim) };
  const workgroups = [Math.ceil(rows / rowsTogether(variant)), heads, 1] as const;
  const scoring = 2 * heads * headDim * pairsOf(layout);
  return differentiable([q, k, v], () => {
    const spans = tf.tensor1d(rowSpans(layout), 'int32');
    const o = emptyTensor<tf.Rank.R3>(q.shape);
    // log-sum-exp and, in the backward pass, delta of each query: one buffer, because a GPU may bind only 8
    const rowSums = emptyTensor<tf.Rank.R3>([rows, heads, 2]);
    runKernel(forwardKernel(variant), {
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
        runKernel(queryGradientKernel(variant), {
          inputs: { ...held, o: oSaved },
          outputs: { d_q: dQ, row_sums: sums },
          uniforms,
          workgroups,
          flops: 3 * scoring,
        });
        runKernel(keyValueGradientKernel(variant), {
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
