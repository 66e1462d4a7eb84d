/**
 * log p(token) and entropy under softmax(h Wᵀ / temperature), for one given token per row.
 *
 * With z = h Wᵀ / temperature and p = softmax(z): logprob = z[token] - logsumexp(z), entropy = logsumexp(z) - sum p z;
 * dlogprob/dz = onehot - p, dentropy/dz = -p * (z - sum p z). The fused twin goes over the vocabulary in tiles and
 * recomputes them on the way back, so no [rows, vocabulary] buffer is ever written; the plain twin writes one.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Weight } from './linear';
import { linearPlain } from './linear';
import { expectShape, expectWeight } from './shape';
import { tokenLogprobFused } from './token-logprob.wgsl';
import { fused } from './twin';

/**
 * @param h [rows, width]
 * @param head [vocabulary, width]
 * @param tokens [rows] int32
 * @returns [2, rows]: log-probabilities (nats), then entropies (nats)
 */
export function tokenLogprob(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
): tf.Tensor2D {
  expectWeight('tokenLogprob', 'head', head);
  expectShape('tokenLogprob', 'h', h, [-1, head.inputs]);
  expectShape('tokenLogprob', 'tokens', tokens, [h.shape[0]]);
  return fused()
    ? tokenLogprobFused(h, head, tokens, temperature)
    : tokenLogprobPlain(h, head, tokens, temperature);
}

/** The plain twin. */
export function tokenLogprobPlain(
  h: tf.Tensor2D,
  head: Weight,
  tokens: tf.Tensor1D,
  temperature: number,
): tf.Tensor2D {
  // one [rows, vocabulary] result with a gradient of its own, so that the tape holds no more than the head's product
  const statistics = tf.customGrad((...args) => {
    const [z, save] = args as unknown as [tf.Tensor2D, tf.GradSaveFunc];
    const shifted = tf.sub(z, tf.max(z, 1, true)); // [rows, vocabulary]
    const logProbabilities = tf.sub(shifted, tf.log(tf.sum(tf.exp(shifted), 1, true)));
    const oneHot = tf.cast(tf.oneHot(tokens, head.outputs), 'float32');
    const chosen = tf.sum(tf.mul(logProbabilities, oneHot), 1);
    const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logProbabilities), logProbabilities), 1));
    save([logProbabilities, oneHot, entropy]);
    return {
      value: tf.stack([chosen, entropy]),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [logP, hot, entropies] = saved;
        const p = tf.exp(logP);
        const rows = logP.shape[0];
        const dChosen = tf.reshape(tf.slice(dy, [0, 0], [1, rows]), [rows, 1]);
        const dEntropy = tf.reshape(tf.slice(dy, [1, 0], [1, rows]), [rows, 1]);
        // dentropy/dz = -p (log p + entropy)
        const fromEntropy = tf.mul(p, tf.add(logP, tf.reshape(entropies, [rows, 1])));
        return tf.sub(tf.mul(dChosen, tf.sub(hot, p)), tf.mul(dEntropy, fromEntropy));
      },
    };
  });
  return tf.tidy(() => statistics(linearPlain(h, head, { scale: 1 / temperature })) as tf.Tensor2D);
}
