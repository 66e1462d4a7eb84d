/**
 * Samples one token per row from the hidden state by the Gumbel-max trick, with its log-probability: token =
 * argmax_v(z_v + g_v) with z = h Wᵀ / temperature and g_v = -log(-log(u_v)). The first of equal scores wins.
 *
 * u_v is Philox4x32-10 (src/base/random.ts) with counter (v >> 2, position, row, stream) and key (seed, SAMPLING_KEY),
 * lane v & 3 of the block, as ((x >>> 8) + 0.5) / 2^24. A draw depends only on (seed, stream, row, position, token), so
 * compacting a batch or resuming a run changes no sample. Temperature 0 is greedy: g = 0, with log-probabilities at
 * temperature 1. A row whose newest token is a stop id gets that token again, with log-probability 0. Its tokens until
 * the next readback are ignored. tf.multinomial is not used because its row 0 always draws category 0 on WebGPU.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { Weight } from '../lib/weight';
import { expectShape, expectWeight } from '../lib/shape';
import type { Ended, SampledTokens, SampleOptions } from './sampling';

const implementation = implementations('sampleHead', {
  wasm: async () => (await import('./wasm')).sampleHeadWasm,
  wgsl: async () => (await import('./wgsl')).sampleHeadWgsl,
});

export type { Ended, SampledTokens, SampleOptions } from './sampling';

/**
 * @param h [rows, width]
 * @param head [vocabulary, width]
 * @param rowIds [rows] int32: each row's index within the whole batch, which a compaction does not change
 * @param ended omitted before the first token and without stop ids
 */
export function sampleHead(
  h: tf.Tensor2D,
  head: Weight,
  rowIds: tf.Tensor1D,
  options: SampleOptions,
  ended?: Ended,
): SampledTokens {
  expectWeight('sampleHead', 'head', head);
  expectShape('sampleHead', 'h', h, [-1, head.inputs]);
  expectShape('sampleHead', 'rowIds', rowIds, [h.shape[0]]);
  if (ended) expectShape('sampleHead', 'ended.newest', ended.newest, [h.shape[0]]);
  return implementation.current(h, head, rowIds, options, ended);
}
