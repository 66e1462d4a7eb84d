/** `sampleHead` on wasm, in the memory of tfjs's backend. */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { rowsOf, runRows, type Rows } from '../lib/row-kernel';
import type { Weight } from '../lib/weight';
import { multiplyByTransposed } from '../joint-linear/wasm';
import { SAMPLING_KEY, type Ended, type SampledTokens, type SampleOptions } from './sampling';

export function sampleHeadWasm(
  h: tf.Tensor2D,
  head: Weight,
  rowIds: tf.Tensor1D,
  { temperature, position, stream, seed }: SampleOptions,
  ended?: Ended,
): SampledTokens {
  const [rows] = h.shape;
  return tf.tidy(() => {
    const z = heapTensor<tf.Rank.R2>([rows, head.outputs]);
    multiplyByTransposed(h, head, z);
    const tokens = heapTensor<tf.Rank.R1>([rows], 'int32');
    const logprobs = heapTensor<tf.Rank.R1>([rows]);
    const at = (tensor: tf.Tensor): Rows => [heapAddress(tensor), 4];
    const isGreedy = temperature === 0;
    runRows(
      'drawTokens',
      rows,
      head.outputs,
      [rowsOf(z), at(rowIds), at(tokens), at(logprobs)],
      [isGreedy ? 1 : 1 / temperature, isGreedy ? 1 : 0, position, stream, seed, SAMPLING_KEY],
    );
    return { ...(ended ? withEnded({ tokens, logprobs }, ended) : { tokens, logprobs }) };
  });
}

/** Rows whose newest token is a stop id get it again, with log-probability 0. */
function withEnded({ tokens, logprobs }: SampledTokens, { newest, stopIds }: Ended): SampledTokens {
  const stops = new Set(stopIds.dataSync());
  const last = newest.dataSync();
  if (!last.some((token) => stops.has(token))) return { tokens, logprobs };
  const isOver = (row: number): boolean => stops.has(last[row]);
  return {
    tokens: tf.tensor1d(
      tokens.dataSync().map((token, row) => (isOver(row) ? last[row] : token)),
      'int32',
    ),
    logprobs: tf.tensor1d(logprobs.dataSync().map((value, row) => (isOver(row) ? 0 : value))),
  };
}
