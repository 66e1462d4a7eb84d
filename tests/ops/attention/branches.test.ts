/** Attention on wasm without the rows of padding gives what the reference implementation gives with them, there and back. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { sharedPrefixAttention, sharedPrefixAttentionPlain } from '../../../src/ops/shared-prefix-attention';
import { gatherRows, spreadRows } from '../../../src/ops/gather-rows';

const [HEADS, DIM] = [2, 8];

/** @param length of the longest branch @param prefix of the longest prompt */
function layoutOf(length: number, prefix: number) {
  const [samples, prefixLengths] = [3, [prefix, prefix - 2]];
  const lengths = [length, 1, length - 1, length >> 1, length, 2];
  const places = prefixLengths.flatMap((own, group) =>
    Array.from({ length: own }, (_, t) => group * prefix + t),
  );
  lengths.forEach((own, branch) => {
    for (let t = 0; t < own; t++) places.push(2 * prefix + branch * length + t);
  });
  return {
    places,
    layout: { batch: 6, length, prompts: { length: prefix, branches: { samples, prefixLengths } } },
  };
}

it.each([
  ['short', 5, 4],
  ['of some vectors', 53, 61],
  ['long', 130, 170],
])('over rows that are %s', async (_, length, prefix) => {
  const engine = await openEngine({ backend: 'wasm' });
  const { places, layout } = layoutOf(length, prefix);
  const all = 2 * prefix + 6 * length;
  const wave = (step: number): tf.Tensor3D =>
    tf.tensor3d(
      Float32Array.from({ length: places.length * HEADS * DIM }, (_, i) => 2 * Math.sin(step * (i + 1))),
      [places.length, HEADS, DIM],
    );
  const [q, k, v, dy] = [0.3, 1.3, 2.3, 0.6].map(wave);
  const results = (attend: (...given: tf.Tensor[]) => tf.Tensor): Float32Array[] =>
    tf
      .tidy(() => [attend(q, k, v), ...tf.grads(attend)([q, k, v], dy)])
      .map((result) => result.dataSync<'float32'>());
  const ours = results((...given) => {
    const [q, k, v] = given as tf.Tensor3D[];
    return sharedPrefixAttention(q, k, v, layout, places);
  });
  const padded = results((...given) => {
    const [q, k, v] = given.map((rows) => spreadRows(rows as tf.Tensor3D, places, all));
    return gatherRows(sharedPrefixAttentionPlain(q, k, v, layout), places);
  });
  padded.forEach((values, result) => {
    expect(ours[result].length).toBe(values.length);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const error = values.reduce((most, value, i) => Math.max(most, Math.abs(ours[result][i] - value)), 0);
    expect(error).toBeLessThan(4e-6 * largest);
  });
  engine.dispose();
});
