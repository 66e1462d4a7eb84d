/**
 * Sampling in plain tfjs ops, as a student would write it: keys and values of each row grow by concatenation, noise comes
 * from the CPU as in tf.randomUniform, and ids stay on the device. The rival of the fused decoder in whole steps: Marble's own plain
 * sampler draws on the CPU, which asks for a readback per token that WebGPU cannot give at once.
 */
import * as tf from '@tensorflow/tfjs-core';
import { createKeyValueCache, disposeKeyValueCache } from '../../src/ops/decode-attention';
import { embedding } from '../../src/ops/embedding';
import { linear } from '../../src/ops/linear';
import { rmsNorm } from '../../src/ops/rms-norm';
import { rotationAt, type Rotation } from '../../src/ops/rope';
import { takeRows } from '../../src/ops/take-rows';
import { createRandom } from '../../src/base/random';
import { withReferenceOps } from '../../src/ops/lib/backend-switch';
import { newTokenBlock, sequenceBlock, type PassModel } from '../../src/model/transformer';

/** @param prompts all of one length @returns the sampled ids, [new tokens, prompts * samples] */
export function decodeInPlainOps(
  model: PassModel,
  prompts: readonly (readonly number[])[],
  samplesPerPrompt: number,
  newTokens: number,
): Promise<Int32Array> {
  return withReferenceOps(async () => {
    const { weights, config, tables } = model;
    const length = prompts[0].length;
    const promptOfRow = prompts.flatMap((_, prompt) => new Array<number>(samplesPerPrompt).fill(prompt));
    const rotationOf = (positions: number[]): Rotation => rotationAt(tables, Int32Array.from(positions));
    const prefixes: { k: tf.Tensor4D; v: tf.Tensor4D }[] = [];
    let x = tf.tidy(() => {
      const rotation = rotationOf(prompts.flatMap((prompt) => prompt.map((_, position) => position)));
      const layout = { batch: prompts.length, length, prompts: null };
      let rows = embedding(tf.tensor1d(prompts.flat(), 'int32'), weights.embedding);
      weights.layers.forEach((_, layer) => {
        rows = sequenceBlock(model, layer, rows, layout, rotation, (k, v) =>
          prefixes.push({ k: tf.keep(tf.clone(k)), v: tf.keep(tf.clone(v)) }),
        );
      });
      return takeRows(
        rows,
        promptOfRow.map((prompt) => (prompt + 1) * length - 1),
      );
    });
    const lengths = prompts.map(() => length);
    const caches = prefixes.map((prefix) => createKeyValueCache(prefix, lengths, promptOfRow, newTokens));
    const random = createRandom(1);
    const sampled: tf.Tensor1D[] = [];
    for (let position = 0; position < newTokens; position++) {
      const ids = tf.tidy(() => {
        const z = linear(rmsNorm(x, weights.finalNorm, config.normEpsilon), weights.head);
        const uniforms = Float32Array.from({ length: z.size }, () => random.uniform());
        const noise = tf.neg(tf.log(tf.neg(tf.log(tf.tensor2d(uniforms, z.shape)))));
        return tf.argMax<tf.Tensor1D>(tf.add(z, noise), 1);
      });
      sampled.push(ids);
      x.dispose();
      x = tf.tidy(() => {
        const rotation = rotationOf(promptOfRow.map(() => length + position));
        return caches.reduce(
          (input, cache, layer) => newTokenBlock(model, layer, input, cache, rotation),
          embedding(ids, weights.embedding),
        );
      });
    }
    const stacked = tf.stack(sampled);
    const values = (await stacked.data()) as Int32Array;
    tf.dispose([stacked, x, ...sampled]);
    caches.forEach(disposeKeyValueCache);
    return values;
  });
}
