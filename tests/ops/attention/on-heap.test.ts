/** Attention on wasm, which runs in the memory of tfjs's backend, against the composition of tfjs's operations on cpu. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openEngine, type BackendName } from '../../../src/gpu/engine';
import {
  attendNewToken,
  compactKeyValueCache,
  createKeyValueCache,
  disposeKeyValueCache,
} from '../../../src/ops/decode-attention';
import { sharedPrefixAttention } from '../../../src/ops/shared-prefix-attention';
import { ropeTables, rotaryFrequencies, rotationAt } from '../../../src/ops/rope';

const [HEADS, KV, DIM, INPUTS] = [4, 2, 4, 6];

const wave = (shape: number[], step: number): tf.Tensor => {
  const size = shape.reduce((product, length) => product * length, 1);
  const values = Float32Array.from({ length: size }, (_, i) => 2 * Math.sin(step * (i + 1)));
  return tf.tensor(values, shape);
};

async function on(backend: BackendName, work: () => tf.Tensor[]): Promise<Float32Array[]> {
  const engine = await openEngine({ backend });
  const before = tf.memory().numTensors;
  const results = work();
  const values = results.map((result) => result.dataSync<'float32'>().slice());
  tf.dispose(results);
  expect(tf.memory().numTensors).toBe(before);
  engine.dispose();
  return values;
}

async function expectSame(work: () => tf.Tensor[]): Promise<void> {
  const [ours, textbook] = [await on('wasm', work), await on('cpu', work)];
  textbook.forEach((values, index) => {
    expect(ours[index].length).toBe(values.length);
    values.forEach((value, at) => expect(ours[index][at]).toBeCloseTo(value, 4));
  });
}

/** Two prompts of unequal lengths, two rows of each; three tokens, and a row that leaves after the second. */
function decoded(longest: number): tf.Tensor[] {
  const tables = ropeTables(longest + 11, rotaryFrequencies(DIM, 100));
  const widths = [HEADS, KV, KV].map((heads) => heads * DIM);
  const outputs = widths.reduce((sum, width) => sum + width, 0);
  const data = wave([outputs, INPUTS], 0.7) as tf.Tensor2D;
  const weight = { format: 'f32', data, outputs, inputs: INPUTS, trainable: false } as const;
  const qkv = { segments: widths, weight, bias: null, adapter: null };
  const prompt = (step: number): tf.Tensor4D => tf.keep(wave([2, longest, KV, DIM], step)) as tf.Tensor4D;
  const cache = createKeyValueCache(
    { k: prompt(0.3), v: prompt(0.9) },
    [longest, longest - 2],
    [0, 0, 1, 1],
    3,
  );
  const results = [4, 4, 3].map((rows, token) => {
    if (rows === 3) compactKeyValueCache(cache, [0, 2, 3]);
    const positions = Int32Array.from(
      { length: rows },
      (_, row) => token + (row < rows - 2 ? longest : longest - 2),
    );
    return tf.tidy(() => {
      const x = wave([rows, INPUTS], 0.2 + token) as tf.Tensor2D;
      return attendNewToken(x, qkv, cache, rotationAt(tables, positions), null);
    });
  });
  disposeKeyValueCache(cache);
  tf.dispose([data, tables.angles]);
  return results;
}

it.each([5, 60, 97])('a new token attends to its prompt of %i tokens and to those before it', (longest) =>
  expectSame(() => decoded(longest)),
);

/** Two prompts of unequal lengths with three branches each, and the gradients by q, k and v. */
function trained(): tf.Tensor[] {
  const layout = {
    batch: 6,
    length: 7,
    prompts: { length: 5, branches: { samples: 3, prefixLengths: [5, 2] } },
  };
  const rows = 2 * 5 + 6 * 7;
  const [q, k, v] = [HEADS, KV, KV].map((heads, i) => wave([rows, heads, DIM], 0.3 + i) as tf.Tensor3D);
  const attend = (...given: tf.Tensor[]): tf.Tensor3D => {
    const [queries, keys, values] = given as tf.Tensor3D[];
    return sharedPrefixAttention(queries, keys, values, layout);
  };
  return tf.tidy(() => {
    const dy = wave([rows, HEADS, DIM], 0.6);
    const results = [attend(q, k, v), ...tf.grads(attend)([q, k, v], dy)];
    tf.dispose([q, k, v]);
    return results;
  });
}

it('branches attend to their prompt and to themselves, there and back', () => expectSame(trained));

it('branches alone attend as they do beside their prompts', async () => {
  const prefixLengths = [5, 2];
  const layout = { batch: 6, length: 7, prompts: { length: 5, branches: { samples: 3, prefixLengths } } };
  const places = Array.from({ length: 2 * 5 + 6 * 7 }, (_, i) => i).filter((i) => i < 7 || i >= 10);
  const [rows, before] = [places.length, 7];
  /** Of queries of all rows, or of the branches alone: results of the branches, and the gradients by q, k and v. */
  const attended = (first: number): tf.Tensor[] =>
    tf.tidy(() => {
      const [q, k, v] = [HEADS, KV, KV].map((heads, i) => wave([rows, heads, DIM], 0.3 + i) as tf.Tensor3D);
      const attend = (...given: tf.Tensor[]): tf.Tensor => {
        const [queries, keys, values] = given as tf.Tensor3D[];
        const asking = tf.slice(queries, [first, 0, 0]);
        const mixed = sharedPrefixAttention(asking, keys, values, layout, places);
        return tf.slice(mixed, [before - first, 0, 0]);
      };
      const dy = wave([rows - before, HEADS, DIM], 0.6);
      return [attend(q, k, v), ...tf.grads(attend)([q, k, v], dy)];
    });
  const [all, alone] = [await on('wasm', () => attended(0)), await on('wasm', () => attended(before))];
  expect(alone).toEqual(all);
});
