/**
 * WGSL kernels of `tokenLogprob`. Rows are processed in chunks whose logits fit in a fixed number of bytes for any
 * vocabulary. The tuned matrix product computes a chunk's logits, which are reduced to three numbers per row and
 * dropped. The backward pass recomputes them and overwrites them with their gradient.
 */
import * as tf from '@tensorflow/tfjs-core';
import { LOGIT_BYTES, rowsPerChunk } from '../../base/rows-at-once';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../../gpu/kernel';
import { flattenWgsl } from '../flat/wgsl';
import { differentiable } from '../lib/differentiable';
import type { Weight } from '../lib/weight';
import { matrixProduct, storedMatrix } from '../matmul';

const THREADS = 64;

/**
 * Row reduction. Every invocation keeps a running maximum, sum of exponentials and sum of exponentials times logits,
 * which are merged in order. `statistics` is [3, rows]: log-probability, entropy, log-sum-exp.
 */
const reduceRow = defineKernel({
  name: 'token statistics',
  inputs: { z: 'f32', tokens: 'i32' },
  outputs: { statistics: 'f32' },
  uniforms: { rows: 'u32', first: 'u32', total: 'u32', vocabulary: 'u32' },
  workgroupSize: [THREADS, 1, 1],
  declarations: `
    var<workgroup> largests: array<f32, ${THREADS}>;
    var<workgroup> sums: array<f32, ${THREADS}>;
    var<workgroup> moments: array<f32, ${THREADS}>;`,
  body: `
    let row = folded;
    if (row >= uniforms.rows) { return; }
    let begin = row * uniforms.vocabulary;
    var largest = -3.0e38;
    for (var v = lane; v < uniforms.vocabulary; v += ${THREADS}u) { largest = max(largest, z[begin + v]); }
    var sum = 0.0;
    var moment = 0.0;
    for (var v = lane; v < uniforms.vocabulary; v += ${THREADS}u) {
      let shifted = z[begin + v] - largest;
      let e = exp(shifted);
      sum += e;
      moment += e * shifted;
    }
    largests[lane] = largest;
    sums[lane] = sum;
    moments[lane] = moment;
    workgroupBarrier();
    if (lane > 0u) { return; }
    var top = largests[0];
    for (var t = 1u; t < ${THREADS}u; t++) { top = max(top, largests[t]); }
    var all = 0.0;
    var along = 0.0;
    for (var t = 0u; t < ${THREADS}u; t++) {
      let lower = largests[t] - top;
      let factor = exp(lower);
      all += sums[t] * factor;
      along += (moments[t] + sums[t] * lower) * factor; // moments are about each share's own maximum
    }
    let log_sum = log(all);
    let at = uniforms.first + row;
    statistics[at] = z[begin + u32(tokens[at])] - top - log_sum;
    statistics[uniforms.total + at] = log_sum - along / all;
    statistics[2u * uniforms.total + at] = top + log_sum;`,
});

/** Overwrites z with dz = dlogprob (onehot - p) - dentropy p (log p + entropy). */
const turnIntoGradient = defineKernel({
  name: 'token statistics backward',
  inputs: { tokens: 'i32', statistics: 'f32', dy: 'f32' },
  outputs: { z: 'f32' },
  uniforms: { rows: 'u32', first: 'u32', total: 'u32', vocabulary: 'u32' },
  workgroupSize: [THREADS, 1, 1],
  body: `
    let row = group.y;
    let v = group.x * ${THREADS}u + lane;
    if (v >= uniforms.vocabulary) { return; }
    let at = uniforms.first + row;
    let i = row * uniforms.vocabulary + v;
    let log_p = z[i] - statistics[2u * uniforms.total + at];
    let p = exp(log_p);
    let hot = select(0.0, 1.0, v == u32(tokens[at]));
    let entropy = statistics[uniforms.total + at];
    z[i] = dy[at] * (hot - p) - dy[uniforms.total + at] * p * (log_p + entropy);`,
});

/** Consecutive rows of a matrix. */
function rowsOf(x: tf.Tensor2D, first: number, count: number): tf.Tensor2D {
  const width = x.shape[1];
  const part = flattenWgsl([{ tensor: x, offset: first * width, size: count * width }]);
  const rows = tf.reshape<tf.Rank.R2>(part, [count, width]);
  part.dispose();
  return rows;
}

export function tokenLogprobWgsl(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
  logitBytes = LOGIT_BYTES,
): tf.Tensor2D {
  const [total, width] = h.shape;
  const vocabulary = head.outputs;
  const matrix = storedMatrix(head);
  const scale = 1 / temperature;
  const most = Math.min(rowsPerChunk(vocabulary, logitBytes), 65535);
  // chunks of similar size let the device reuse one logits buffer for all of them
  const perChunk = Math.ceil(total / Math.ceil(total / most));
  const trained = head.format === 'f32' && head.trainable ? [head.data] : [];

  /** Calls `use` with each chunk of the rows of `states` and its logits. */
  const overChunks = (
    states: tf.Tensor2D,
    use: (chunk: tf.Tensor2D, z: tf.Tensor2D, first: number, rows: number) => void,
  ): void => {
    for (let first = 0; first < total; first += perChunk) {
      const rows = Math.min(perChunk, total - first);
      const chunk = rows === total ? states : rowsOf(states, first, rows);
      const z = matrixProduct('nt', chunk, matrix, { scale });
      use(chunk, z, first, rows);
      z.dispose();
      if (chunk !== states) chunk.dispose();
    }
  };

  return differentiable([h, ...trained], () => {
    const statistics = emptyTensor<tf.Rank.R2>([3, total]);
    overChunks(h, (_, z, first, rows) =>
      runKernel(reduceRow, {
        inputs: { z, tokens },
        outputs: { statistics },
        uniforms: { rows, first, total, vocabulary },
        workgroups: foldedWorkgroups(rows),
      }),
    );
    return {
      value: rowsOf(statistics, 0, 2),
      saved: [h, tokens, statistics],
      gradient: (dy, [states, ids, kept]) => {
        const dStates: tf.Tensor2D[] = [];
        let dHead: tf.Tensor2D | null = null;
        overChunks(states as tf.Tensor2D, (chunk, z, first, rows) => {
          runKernel(turnIntoGradient, {
            inputs: { tokens: ids, statistics: kept, dy },
            outputs: { z },
            uniforms: { rows, first, total, vocabulary },
            workgroups: [Math.ceil(vocabulary / THREADS), rows, 1],
          });
          dStates.push(matrixProduct('nn', z, matrix, { scale }));
          if (trained.length === 0) return;
          const factor = { format: 'f32' as const, data: chunk, rows, columns: width };
          const before: tf.Tensor2D | null = dHead;
          dHead = matrixProduct('tn', z, factor, { scale, residual: before ?? undefined });
          before?.dispose();
        });
        const dh =
          dStates.length === 1 ? dStates[0] : tf.reshape<tf.Rank.R2>(flattenWgsl(dStates), [total, width]);
        return [() => dh, () => dHead!].slice(0, 1 + trained.length);
      },
    };
  });
}
