/**
 * `tokenLogprob` on wasm, in the memory of tfjs's backend. Rows are processed in chunks: the logits are computed,
 * reduced to statistics and freed. The backward pass recomputes them and overwrites them with their gradient. If the
 * logits of all rows fit into the caller's limit, they are kept from forward to backward.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { LOGIT_BYTES, rowsPerChunk } from '../../base/rows-at-once';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { computedTogether, differentiable, recordsGradient } from '../lib/differentiable';
import { rowsOf, runRows, type Rows } from '../lib/row-kernel';
import type { Weight } from '../lib/weight';
import { addTransposedProduct, multiplyByTransposed, multiplyByWeight } from '../joint-linear/wasm';

/** One number per row, contiguous. */
const numbers = (address: number): Rows => [address, 4];

/**
 * @param keptBytes most bytes of logits to keep for the backward pass
 * @param logitBytes most bytes of logits of a chunk
 */
export function tokenLogprobWasm(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
  keptBytes = LOGIT_BYTES,
  logitBytes = LOGIT_BYTES,
): tf.Tensor2D {
  const [total, width] = h.shape;
  const vocabulary = head.outputs;
  const scale = 1 / temperature;
  const keeps = recordsGradient() && 4 * total * vocabulary <= keptBytes;
  const chunks = keeps ? 1 : Math.ceil(total / rowsPerChunk(vocabulary, logitBytes));
  const most = Math.ceil(total / chunks);
  const firsts = Array.from({ length: chunks }, (_, chunk) => chunk * most);
  const isTrained = head.format === 'f32' && head.trainable;

  const logitsOf = (states: tf.Tensor2D, first: number): tf.Tensor2D => {
    const rows = Math.min(most, total - first);
    const part = heapTensor<tf.Rank.R2>([rows, width]);
    const from: Rows = [heapAddress(states) + 4 * first * width, 4 * width];
    runRows('scaleRows', rows, width, [from, rowsOf(part)], [scale]);
    const z = heapTensor<tf.Rank.R2>([rows, vocabulary]);
    multiplyByTransposed(part, head, z);
    part.dispose();
    return z;
  };

  return differentiable<tf.Tensor2D>(isTrained ? [h, head.data] : [h], () => {
    const value = heapTensor<tf.Rank.R2>([2, total]);
    const logsums = heapTensor<tf.Rank.R1>([total]);
    const kept: tf.Tensor2D[] = [];
    for (const first of firsts) {
      const z = logitsOf(h, first);
      const at = (tensor: tf.Tensor, row = 0): Rows => numbers(heapAddress(tensor) + 4 * (row + first));
      const matrices = [rowsOf(z), at(tokens), at(value), at(value, total), at(logsums)];
      runRows('headStatistics', z.shape[0], vocabulary, matrices);
      if (keeps) kept.push(z);
      else z.dispose();
    }
    return {
      value,
      saved: [h, tokens, value, logsums, ...kept],
      gradient: (dy, [states, ids, value, logsums, keptLogits]) =>
        computedTogether(isTrained ? 2 : 1, () => {
          const dh = heapTensor<tf.Rank.R2>([total, width]);
          const dHead = isTrained ? heapTensor<tf.Rank.R2>([vocabulary, width]) : null;
          if (dHead) heapValues(dHead).fill(0);
          for (const first of firsts) {
            const z = keeps ? (keptLogits as tf.Tensor2D) : logitsOf(states as tf.Tensor2D, first);
            const at = (tensor: tf.Tensor, row = 0): Rows => numbers(heapAddress(tensor) + 4 * (row + first));
            const given = [at(dy), at(dy, total)];
            const matrices = [rowsOf(z), at(ids), at(value, total), at(logsums), ...given];
            runRows('headGradient', z.shape[0], vocabulary, matrices, [scale]);
            multiplyByWeight(z, head, dh, first);
            if (dHead) addTransposedProduct(z, states as tf.Tensor2D, dHead, first);
            if (!keeps) z.dispose();
          }
          return dHead ? [dh, dHead] : [dh];
        }),
    };
  });
}
