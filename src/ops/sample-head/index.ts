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
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { philox4x32 } from '../../base/random';
import type { Weight } from '../lib/weight';
import { linearReference } from '../joint-linear/reference';
import { expectShape, expectWeight } from '../lib/shape';
import { SAMPLING_KEY, type Ended, type SampledTokens, type SampleOptions } from './sampling';

const implementation = implementations({
  reference: sampleHeadReference,
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

/** The reference implementation: reads the logits back to the CPU and samples in double precision. */
function sampleHeadReference(
  h: tf.Tensor2D,
  head: Weight,
  rowIds: tf.Tensor1D,
  options: SampleOptions,
  ended?: Ended,
): SampledTokens {
  const vocabulary = head.outputs;
  const rows = h.shape[0];
  const product = linearReference(h, head);
  const logits = product.dataSync();
  product.dispose();
  const ids = rowIds.dataSync();
  const newest = ended?.newest.dataSync();
  const stopIds = new Set(ended?.stopIds.dataSync());
  const tokens = new Int32Array(rows);
  const logprobs = new Float32Array(rows);
  const inverse = options.temperature > 0 ? 1 / options.temperature : 1;
  for (let row = 0; row < rows; row++) {
    if (newest && stopIds.has(newest[row])) {
      tokens[row] = newest[row]; // log-probability 0
      continue;
    }
    const offset = row * vocabulary;
    let largest = -Infinity;
    let best = -Infinity;
    for (let v = 0; v < vocabulary; v++) {
      const z = logits[offset + v] * inverse;
      if (z > largest) largest = z;
      const score = options.temperature > 0 ? gumbelScore(options, ids[row], v, z, best) : z;
      if (score > best) {
        best = score;
        tokens[row] = v;
      }
    }
    let sum = 0;
    for (let v = 0; v < vocabulary; v++) sum += Math.exp(logits[offset + v] * inverse - largest);
    logprobs[row] = logits[offset + tokens[row]] * inverse - largest - Math.log(sum);
  }
  return { tokens: tf.tensor1d(tokens, 'int32'), logprobs: tf.tensor1d(logprobs) };
}

const block = new Uint32Array(4);

/** Upper bounds of -log(-log(u)) for u < (i + 1) / 256, with a margin for the rounding of the logarithms. */
const BOUNDS = Float64Array.from({ length: 256 }, (_, i) =>
  i === 255 ? 18 : -Math.log(-Math.log((i + 1) / 256)) + 1e-9,
);

/**
 * z plus one standard Gumbel draw, or a lower value if that sum does not exceed `best`. Most draws are decided without
 * a logarithm. Sequential calls reuse one Philox block for four tokens.
 */
function gumbelScore(options: SampleOptions, row: number, token: number, z: number, best: number): number {
  if ((token & 3) === 0) {
    philox4x32(token >> 2, options.position, row, options.stream, options.seed, SAMPLING_KEY, block);
  }
  const word = block[token & 3];
  if (z + BOUNDS[word >>> 24] <= best) return -Infinity;
  const u = ((word >>> 8) + 0.5) / 16777216;
  return z - Math.log(-Math.log(u));
}
