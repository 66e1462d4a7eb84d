import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { sampleHead, type Ended, type SampledTokens } from '../../src/ops/sample-head';

it('plain, gives a row whose newest token is a stop id that token again, for certain, and draws for the others', async () => {
  const engine = await openEngine({ backend: 'cpu' });
  const data = tf.tensor2d([0.1, 0.5, -0.3, 0.2], [4, 1]);
  const head = { format: 'f32' as const, data, outputs: 4, inputs: 1, trainable: false };
  const options = { temperature: 1, seed: 5, stream: 0, position: 3 };
  const draw = (ended?: Ended): SampledTokens =>
    sampleHead(tf.ones([3, 1]), head, tf.tensor1d([0, 1, 2], 'int32'), options, ended);
  const free = draw();
  const after = draw({ newest: tf.tensor1d([3, 0, 2], 'int32'), stopIds: tf.tensor1d([2, 3], 'int32') });
  const drawn = free.tokens.dataSync()[1];
  expect(Array.from(after.tokens.dataSync())).toEqual([3, drawn, 2]);
  expect(Array.from(after.logprobs.dataSync())).toEqual([0, free.logprobs.dataSync()[1], 0]);
  engine.dispose();
});
