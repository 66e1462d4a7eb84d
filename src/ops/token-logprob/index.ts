/**
 * log p(token) and entropy under softmax(h Wᵀ / temperature), for one given token per row.
 *
 * With z = h Wᵀ / temperature and p = softmax(z): logprob = z[token] - logsumexp(z), entropy = logsumexp(z) - sum p z;
 * dlogprob/dz = onehot - p, dentropy/dz = -p * (z - sum p z). No implementation holds more than `LOGIT_BYTES` of
 * logits, for any number of rows. Rows are processed in chunks, and the backward pass recomputes the logits of each
 * chunk.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { LOGIT_BYTES, rowsPerChunk } from '../../base/rows-at-once';
import type { Weight } from '../lib/weight';
import { linearReference, matrixOf } from '../joint-linear/reference';
import { transpose } from '../lib/product';
import { expectShape, expectWeight } from '../lib/shape';
import { differentiable } from '../lib/differentiable';

const implementation = implementations<typeof tokenLogprob>({
  reference: (h, head, tokens, temperature) => tokenLogprobReference(h, head, tokens, temperature),
  wasm: async () => (await import('./wasm')).tokenLogprobWasm,
  wgsl: async () => {
    const { tokenLogprobWgsl } = await import('./wgsl');
    return (h, head, tokens, temperature) => tokenLogprobWgsl(h, head, tokens, temperature);
  },
});

/**
 * @param h [rows, width]
 * @param head [vocabulary, width]
 * @param tokens [rows] int32
 * @param keptBytes on wasm: most bytes of logits to keep for the gradient
 * @returns [2, rows]: log-probabilities (nats), then entropies (nats)
 */
export function tokenLogprob(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
  keptBytes = LOGIT_BYTES,
): tf.Tensor2D {
  expectWeight('tokenLogprob', 'head', head);
  expectShape('tokenLogprob', 'h', h, [-1, head.inputs]);
  expectShape('tokenLogprob', 'tokens', tokens, [h.shape[0]]);
  return implementation.current(h, head, tokens, temperature, keptBytes);
}

/** The reference implementation, in chunks of rows. @param logitBytes as in the WGSL implementation */
export function tokenLogprobReference(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
  logitBytes = LOGIT_BYTES,
): tf.Tensor2D {
  const scale = 1 / temperature;
  const total = h.shape[0];
  const most = rowsPerChunk(head.outputs, logitBytes);
  const firsts = Array.from({ length: Math.ceil(total / most) }, (_, chunk) => chunk * most);
  const trained = head.format === 'f32' && head.trainable ? [head.data] : [];
  const chunkAt = (states: tf.Tensor2D, ids: tf.Tensor1D, first: number) => {
    const rows = Math.min(most, total - first);
    const part = tf.slice(states, [first, 0], [rows, -1]);
    const z = linearReference(part, head, { scale });
    return { rows, part, ...statisticsOf(z, tf.slice(ids, [first], [rows])) };
  };
  return differentiable<tf.Tensor2D>([h, ...trained], () => ({
    value: tf.concat(
      firsts.map((first) => tf.tidy(() => chunkAt(h, tokens, first).value)),
      1,
    ),
    saved: [h, tokens],
    gradient: (dy, [states, ids]) => {
      const chunks = firsts.map((first) =>
        tf.tidy(() => {
          const { rows, part, forGradient } = chunkAt(states as tf.Tensor2D, ids as tf.Tensor1D, first);
          const dz = gradientOfLogits(tf.slice(dy, [0, first], [2, rows]), forGradient);
          const scaled = tf.mul<tf.Tensor2D>(dz, scale);
          const byRows = tf.matMul(scaled, matrixOf(head));
          return trained.length === 0 ? [byRows] : [byRows, tf.matMul(transpose(scaled), part)];
        }),
      );
      return [
        () => tf.concat(chunks.map(([byRows]) => byRows)),
        ...trained.map(() => () => tf.addN(chunks.map(([, byHead]) => byHead))),
      ];
    },
  }));
}

/** @param z [rows, vocabulary] @returns [2, rows], and the tensors for the gradient */
function statisticsOf(z: tf.Tensor2D, tokens: tf.Tensor1D): { value: tf.Tensor2D; forGradient: tf.Tensor[] } {
  const shifted = tf.sub(z, tf.max(z, 1, true)); // [rows, vocabulary]
  const logProbabilities = tf.sub(shifted, tf.log(tf.sum(tf.exp(shifted), 1, true)));
  const oneHot = tf.cast(tf.oneHot(tokens, z.shape[1]), 'float32');
  const chosen = tf.sum(tf.mul(logProbabilities, oneHot), 1);
  const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logProbabilities), logProbabilities), 1));
  return {
    value: tf.stack([chosen, entropy]) as tf.Tensor2D,
    forGradient: [logProbabilities, oneHot, entropy],
  };
}

/** @param dy [2, rows] @returns [rows, vocabulary] */
function gradientOfLogits(dy: tf.Tensor, [logP, hot, entropies]: tf.Tensor[]): tf.Tensor2D {
  const p = tf.exp(logP);
  const rows = logP.shape[0];
  const dChosen = tf.reshape(tf.slice(dy, [0, 0], [1, rows]), [rows, 1]);
  const dEntropy = tf.reshape(tf.slice(dy, [1, 0], [1, rows]), [rows, 1]);
  // dentropy/dz = -p (log p + entropy)
  const fromEntropy = tf.mul(p, tf.add(logP, tf.reshape(entropies, [rows, 1])));
  return tf.sub(tf.mul(dChosen, tf.sub(hot, p)), tf.mul(dEntropy, fromEntropy));
}
