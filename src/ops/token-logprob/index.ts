/**
 * log p(token) and entropy under softmax(h Wᵀ / temperature), for one given token per row.
 *
 * With z = h Wᵀ / temperature and p = softmax(z): logprob = z[token] - logsumexp(z), entropy = logsumexp(z) - sum p z;
 * dlogprob/dz = onehot - p, dentropy/dz = -p * (z - sum p z). No implementation holds more than `LOGIT_BYTES` of
 * logits, for any number of rows. Rows are processed in chunks, and the backward pass recomputes the logits of each
 * chunk.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { LOGIT_BYTES } from '../../base/rows-at-once';
import type { Weight } from '../lib/weight';
import { expectShape, expectWeight } from '../lib/shape';

const implementation = implementations<typeof tokenLogprob>('tokenLogprob', {
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
