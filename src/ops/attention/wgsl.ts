/**
 * The WGSL kernels of `attention` and `sharedPrefixAttention`. An invocation owns one row of one head, holds its vectors
 * in registers and goes over the keys (on the way back: the queries) with a running maximum and sum, so that no score is
 * ever written. All invocations of a workgroup read the same key at the same time, which every cache serves well.
 *
 * What a row attends to is two ranges of rows, its prompt's and its own sequence's up to itself, so whole sequences, prompts
 * and branches are one case. On the way back a key row is attended to by the rest of its own sequence and, where it belongs
 * to a prompt, by all rows of the prompt's branches, which stand together.
 *
 * With s = q k / sqrt(headDim), p = exp(s - L), L the log-sum-exp of a query's scores, and delta = do · o:
 *   dv = sum p do,   ds = p (do · v - delta),   dq = sum ds k / sqrt(headDim),   dk = sum ds q / sqrt(headDim).
 * dk and dv are summed per query head first and then over the heads that share a key head, both in order.
 *
 * Several invocations share a row whose head is wide, each with a part of its dimensions, and put their parts of a product
 * together in workgroup memory: one alone has too few registers for it (docs/benchmarks.md).
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../../gpu/kernel';
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

/** Dimensions of a head that one invocation holds at most where several share a row, and from which on they do. */
const DIMENSIONS = { shared: 16, alone: 32 };

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

interface HeadVariant {
  headDim: number;
  /** Invocations that share a row of a head. */
  lanes: number;
}

function variantOf(headDim: number): HeadVariant {
  if (headDim <= DIMENSIONS.alone) return { headDim, lanes: 1 };
  const lanes = range(THREADS + 1).find(
    (count) => headDim % (4 * count) === 0 && headDim / count <= DIMENSIONS.shared,
  );
  return { headDim, lanes: lanes ?? 1 };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const rowsTogether = ({ lanes }: HeadVariant): number => Math.floor(THREADS / lanes);

/** One line for every four dimensions that an invocation holds, with `#` replaced by their number and `@` by the first of them. */
function each({ headDim, lanes }: HeadVariant, line: string): string {
  const dimensions = headDim / lanes;
  const first = lanes === 1 ? '' : `lane % ${lanes}u * ${dimensions}u + `;
  return range(Math.ceil(dimensions / 4))
    .map((c) => line.replaceAll('#', String(c)).replaceAll('@', `${first}${4 * c}u`))
    .join('\n');
}

/** Defines the sums over a head of products of two vectors, at most two. */
function dots({ headDim, lanes }: HeadVariant, products: Record<string, readonly [string, string]>): string {
  const fours = range(Math.ceil(headDim / lanes / 4));
  const own = Object.entries(products).map(
    ([name, [a, b]], i) => [name, fours.map((c) => `dot(${a}${c}, ${b}${c})`).join(' + '), 'xy'[i]] as const,
  );
  if (lanes === 1) return own.map(([name, sum]) => `let ${name} = ${sum};`).join('\n');
  // one barrier a turn: the next turn writes the other half
  return `
    ${own.map(([, sum, place]) => `parts[turn & 1u][lane].${place} = ${sum};`).join('\n')}
    workgroupBarrier();
    let first_part = lane - lane % ${lanes}u;
    let whole = ${range(lanes)
      .map((l) => `parts[turn & 1u][first_part + ${l}u]`)
      .join(' + ')};
    ${own.map(([name, , place]) => `let ${name} = whole.${place};`).join('\n')}`;
}

/** Writes vec4 variables as a row of a head, dimension by dimension, since 4 need not divide it. */
function store(variant: HeadVariant, output: string, variable: string): string {
  const { headDim } = variant;
  const dimension = (z: number): string => {
    const write = `${output}[query_row * ${headDim}u + @ + ${z}u] = ${variable}#[${z}];`;
    return headDim % 4 === 0 ? write : `if (@ + ${z}u < ${headDim}u) { ${write} }`;
  };
  return `if (asked < uniforms.rows) { ${each(variant, range(4).map(dimension).join(' '))} }`;
}

/**
 * The lines for each row `other` of two ranges, one after the other. Invocations that share barriers all go as often as the
 * longest of them needs; `there` is false for those that are done, which see their last row again.
 */
function over(
  variant: HeadVariant,
  ranges: readonly [readonly [string, string], readonly [string, string]],
  lines: string,
): string {
  const [[first, firstEnd], [second, secondEnd]] = ranges;
  const turns =
    variant.lanes === 1
      ? 'const there = true; let place = turn;'
      : 'let there = turn < count; let place = min(turn, count - 1u);';
  const longest = `
    counts[lane] = count;
    workgroupBarrier();
    if (lane == 0u) {
      most = count;
      for (var i = 1u; i < ${rowsTogether(variant) * variant.lanes}u; i++) { most = max(most, counts[i]); }
    }
    let turns = workgroupUniformLoad(&most);`;
  return `
    let first_start = ${first};
    let first_count = ${firstEnd} - first_start;
    let second_start = ${second};
    let count = first_count + ${secondEnd} - second_start;
    ${variant.lanes === 1 ? 'let turns = count;' : longest}
    for (var turn = 0u; turn < turns; turn++) {
      ${turns}
      let other = select(second_start + place - first_count, first_start + place, place < first_count);
      ${lines}
    }`;
}

const span = (column: number): string => `u32(spans[row * ${SPAN}u + ${column}u])`;

/** Keys of a query's prompt, and those of its own sequence up to itself. */
const keys = [
  [span(2), span(3)],
  [span(0), '(row + 1u)'],
] as const;

/** Queries of the rest of a key's own sequence, and those of its branches. */
const queries = [
  ['row', span(1)],
  [span(4), span(5)],
] as const;

function rowKernel(
  name: string,
  vectors: readonly string[],
  others: readonly string[],
  outputs: KernelSource['outputs'],
  variant: HeadVariant,
  body: string,
): Kernel {
  const { headDim, lanes } = variant;
  const aligned = headDim % 4 === 0;
  const together = rowsTogether(variant);
  const shared = `
    var<workgroup> parts: array<array<vec2<f32>, ${THREADS}>, 2>;
    var<workgroup> counts: array<u32, ${THREADS}>;
    var<workgroup> most: u32;`;
  return defineKernel({
    name: `attention ${name} ${headDim}`,
    inputs: {
      spans: 'i32',
      ...Object.fromEntries(vectors.map((vector) => [vector, storedAs('f32', aligned)])),
      ...Object.fromEntries(others.map((other) => [other, 'f32'] as const)),
    },
    outputs,
    uniforms: { rows: 'u32', heads: 'u32', key_heads: 'u32', scale: 'f32' },
    workgroupSize: [together * lanes, 1, 1],
    declarations: [
      lanes === 1 ? '' : shared,
      ...vectors.map((vector) => loadFour(vector, 'f32', aligned, `${headDim}u`)),
    ].join('\n'),
    body: `
      let asked = group.x * ${together}u + lane / ${lanes}u;
      ${lanes === 1 ? 'if (asked >= uniforms.rows) { return; }' : '// all pass the barriers'}
      let row = min(asked, uniforms.rows - 1u);
      let head = group.y;
      let key_head = head / (uniforms.heads / uniforms.key_heads);
      let query_row = row * uniforms.heads + head;
      ${body}`,
  });
}

/**
 * Taking several keys at once spares exponentials and was slower on software adapters: CPU milliseconds of prompts with
 * heads of 16, 20 against 17 on SwiftShader and 8 against 4 on llvmpipe.
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

/** By query head: one row of keys goes over the queries that attend to it. */
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

export function sharedPrefixAttentionFused(
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
    // per query: the logarithm of its sum, and on the way back its delta: in one buffer, since a GPU may bind only 8
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

export function attentionFused(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D): tf.Tensor4D {
  const [batch, length] = q.shape;
  const [queryRows, keyRows, valueRows] = [q, k, v].map((tensor): tf.Tensor3D =>
    tf.reshape(tensor, [batch * length, tensor.shape[2], tensor.shape[3]]),
  );
  const noPrompts = { length: 0, branches: { samples: batch, prefixLengths: [0] } };
  const layout = { batch, length, prompts: noPrompts };
  return tf.reshape(sharedPrefixAttentionFused(queryRows, keyRows, valueRows, layout), q.shape);
}
