/** Ops in the memory of tfjs's wasm backend compute what their reference implementations do. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { flatten, flattenPlain } from '../../src/ops/flat';
import { embedding, embeddingPlain } from '../../src/ops/embedding';
import type { Weight } from '../../src/ops/lib/weight';
import { jointLinear, linearParts, linearPartsPlain, type JointProjection } from '../../src/ops/joint-linear';
import { linear, linearPlain } from '../../src/ops/linear';
import { rmsNorm, rmsNormPlain } from '../../src/ops/rms-norm';
import { rope, ropePlain, ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { swiglu, swigluPlain } from '../../src/ops/swiglu';
import { tokenLogprob, tokenLogprobPlain } from '../../src/ops/token-logprob';
import { openEngineForAll } from '../fixtures/engine';
import { f32Weight } from './random-weight';

openEngineForAll('wasm');

/** Numbers of very different sizes, zeros of both signs among them. */
function numbers<R extends tf.Rank>(shape: tf.ShapeMap[R], seed: number): tf.Tensor<R> {
  const size = (shape as number[]).reduce((product, length) => product * length, 1);
  const values = Float32Array.from({ length: size }, (_, i) => {
    const x = Math.sin(seed + 1.7 * i) * 10 ** (3 * Math.cos(seed * i));
    return i % 17 === 5 ? 0 * x : x;
  });
  return tf.tensor(values, shape);
}

type Op = (...inputs: tf.Tensor[]) => tf.Tensor;

const flat = (tensors: tf.Tensor[]): tf.Tensor =>
  tf.concat(tensors.map((tensor) => tf.reshape(tensor, [-1])));

/** Values and the gradients by all inputs. */
function resultsOf(op: Op, inputs: tf.Tensor[]): Float32Array[] {
  const tensors = tf.tidy(() => {
    const value = op(...inputs);
    return [value, ...tf.grads(op)(inputs, numbers(value.shape as [number, number], 0.4))];
  });
  const results = tensors.map((tensor) => tensor.dataSync<'float32'>().slice());
  tf.dispose(tensors);
  return results;
}

/** Sums may run in another order: errors are measured by the largest number of each result. */
function expectSame(ours: Op, plain: Op, inputs: tf.Tensor[]): void {
  const before = tf.memory().numTensors;
  const [found, expected] = [resultsOf(ours, inputs), resultsOf(plain, inputs)];
  expect(tf.memory().numTensors).toBe(before);
  expected.forEach((values, result) => {
    expect(found[result].length).toBe(values.length);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const error = values.reduce((most, value, i) => Math.max(most, Math.abs(found[result][i] - value)), 0);
    expect(error).toBeLessThanOrEqual(2e-6 * largest);
  });
}

it('vectors of tensors and of parts of them', () => {
  const tensors = [numbers([3, 5], 1), numbers([1], 2), numbers([2, 2, 7], 3)] as const;
  const parts = [{ tensor: tensors[2], offset: 5, size: 9 }, tensors[1], tensors[0], { tensor: tensors[0], offset: 14, size: 1 }]; // prettier-ignore
  const [ours, plain] = [flatten(parts), flattenPlain(parts)];
  expect([...ours.dataSync()]).toEqual([...plain.dataSync()]);
  tf.dispose([...tensors, ours, plain]);
});

it.each([
  [5, 32],
  [9, 7],
  [1, 96],
])('RMSNorm of %i rows of %i', (rows, width) => {
  const inputs = [numbers([rows, width], 0.3), numbers([width], 0.8)];
  const given = (norm: typeof rmsNorm) => (x: tf.Tensor, weight: tf.Tensor) =>
    norm(x as tf.Tensor2D, weight as tf.Tensor1D, 1e-6);
  expectSame(given(rmsNorm), given(rmsNormPlain), inputs);
});

it.each([
  [1, 8],
  [3, 6],
  [2, 34], // pairs of which both are zero
])('rotation of %i heads of %i', (heads, headDim) => {
  const tables = ropeTables(16, rotaryFrequencies(headDim, 100));
  const rotation = rotationAt(tables, Int32Array.of(3, 0, 15, 3));
  expectSame(
    (x) => rope(x as tf.Tensor3D, rotation),
    (x) => ropePlain(x as tf.Tensor3D, rotation.plain!),
    [numbers([4, heads, headDim], 0.3)],
  );
});

const weightOf = (data: tf.Tensor, trainable: boolean): Weight => f32Weight(data as tf.Tensor2D, trainable);

it('rotation of the last rows of a batch', () => {
  const rotation = rotationAt(ropeTables(16, rotaryFrequencies(6, 100)), Int32Array.of(3, 0, 15, 4));
  const all = (x: tf.Tensor): tf.Tensor => rope(x as tf.Tensor3D, rotation);
  const last = (x: tf.Tensor): tf.Tensor => rope(tf.slice(x as tf.Tensor3D, [2, 0, 0]), rotation);
  expectSame(last, (x) => tf.slice(all(x), [2, 0, 0]), [numbers([4, 3, 6], 0.3)]);
});

it.each(['all weights', 'an adapter'])(
  'joint projections of which the first leaves rows out, where %s are trained',
  (trained) => {
    const [rows, width, segments, rank, skipped] = [9, 10, [6, 5, 8], 3, 4];
    const joint = (data: tf.Tensor, bias: tf.Tensor, a?: tf.Tensor, b?: tf.Tensor): JointProjection => {
      const adapter = a && b ? { a: weightOf(a, true), b: b as tf.Tensor2D, scale: 0.3 } : null;
      const weight = weightOf(data, adapter === null);
      return { segments, weight, bias: bias as tf.Tensor1D, adapter } as JointProjection;
    };
    const shapes = [[rows, width], [19, width], [19], [3 * rank, width], [19, rank]];
    const [x, data, ...others] = shapes.map((shape, i) => numbers(shape as [number, number], 0.3 + i));
    const inputs = trained === 'an adapter' ? [x, ...others] : [x, data, others[0]];
    const given =
      (parts: (x: tf.Tensor2D, joint: JointProjection) => tf.Tensor2D[]): Op =>
      (x, ...rest) =>
        flat(
          parts(
            x as tf.Tensor2D,
            joint(...((rest.length === 3 ? [data, ...rest] : rest) as [tf.Tensor, tf.Tensor])),
          ),
        );
    expectSame(
      given((x, of) => linearParts(x, of, undefined, skipped)),
      given((x, of) => {
        const [first, ...parts] = linearParts(x, of);
        return [tf.slice(first, [skipped, 0]), ...parts];
      }),
      inputs,
    );
  },
);

it('the last rows of a longer residual', () => {
  const given =
    (residualOf: (residual: tf.Tensor2D) => tf.Tensor2D): Op =>
    (x, data, residual) => {
      const weight = weightOf(data, true);
      const joint = { segments: [5], weight, bias: null, adapter: null } as JointProjection;
      return jointLinear(x as tf.Tensor2D, joint, residualOf(residual as tf.Tensor2D));
    };
  expectSame(
    given((residual) => residual),
    given((residual) => tf.slice(residual, [3, 0])),
    [numbers([6, 4], 0.3), numbers([5, 4], 0.8), numbers([9, 5], 0.1)],
  );
});

it('SwiGLU of two projections', () => {
  const joint = (data: tf.Tensor): JointProjection => ({
    ...{ segments: [7, 7], weight: weightOf(data, true), bias: null, adapter: null },
  });
  expectSame(
    (x, data) => swiglu(x as tf.Tensor2D, joint(data)),
    (x, data) => {
      const [gate, up] = linearPartsPlain(x as tf.Tensor2D, joint(data));
      return swigluPlain(gate, up);
    },
    [numbers([5, 6], 0.3), numbers([14, 6], 0.9)],
  );
});

const sizes: [string, number, number, number][] = [
  ['few rows', 3, 6, 9],
  ['one row', 1, 40, 70],
  ['many rows', 70, 13, 21],
  ['so many rows that sums go on in runs', 1100, 5, 40],
];
const options = [
  {},
  { scale: 0.7 },
  { bias: true },
  { residual: true },
  { bias: true, residual: true, scale: 3 },
];

it.each(sizes)('a projection of %s', (_, rows, width, outputs) => {
  for (const { scale, bias, residual } of options as { scale?: number; bias?: true; residual?: true }[]) {
    const given =
      (of: typeof linear): Op =>
      (x, data, ...others) =>
        of(x as tf.Tensor2D, weightOf(data, true), {
          bias: bias && (others[0] as tf.Tensor1D),
          residual: residual && (others.at(-1) as tf.Tensor2D),
          scale,
        });
    const shapes: number[][] = [
      [rows, width],
      [outputs, width],
    ];
    if (bias) shapes.push([outputs]);
    if (residual) shapes.push([rows, outputs]);
    const inputs = shapes.map((shape, i) => numbers(shape as [number, number], 0.3 + i));
    expectSame(given(linear), given(linearPlain), inputs);
  }
});

it.each(['all weights', 'an adapter'])('joint projections of which %s are trained', (trained) => {
  const [rows, width, segments, rank] = [9, 10, [6, 5, 8], 3];
  const given =
    (parts: typeof linearParts): Op =>
    (x, data, bias, residual, a, b) => {
      const adapter = a && b ? { a: weightOf(a, true), b: b as tf.Tensor2D, scale: 0.3 } : null;
      const weight = weightOf(data, adapter === null);
      const joint = { segments, weight, bias: bias as tf.Tensor1D, adapter } as JointProjection;
      return tf.concat(parts(x as tf.Tensor2D, joint, residual as tf.Tensor2D), 1);
    };
  const shapes = [[rows, width], [19, width], [19], [rows, 19], [3 * rank, width], [19, rank]];
  const inputs = shapes.map((shape, i) => numbers(shape as [number, number], 0.3 + i));
  if (trained === 'all weights') {
    expectSame(given(linearParts), given(linearPartsPlain), inputs.slice(0, 4));
    return;
  }
  const data = inputs.splice(1, 1)[0];
  const frozen =
    (parts: typeof linearParts): Op =>
    (x, ...others) =>
      given(parts)(x, data, ...others);
  expectSame(frozen(linearParts), frozen(linearPartsPlain), inputs);
});

it.each([true, false])('rows of the embedding table (trained: %s)', (trained) => {
  const ids = tf.tensor1d([3, 0, 3, 6, 1], 'int32');
  const given =
    (of: typeof embedding): Op =>
    (data) =>
      of(ids, weightOf(data, trained));
  const table = numbers([7, 40], 0.3);
  if (trained) expectSame(given(embedding), given(embeddingPlain), [table]);
  else {
    const difference = tf.sub(given(embedding)(table), given(embeddingPlain)(table));
    expect(tf.max(tf.abs(difference)).dataSync()[0]).toBe(0);
  }
});

it.each([1, 0.7])('log-probabilities and entropies of given tokens at temperature %f', (temperature) => {
  const tokens = tf.tensor1d([3, 0, 22, 5, 5, 1], 'int32');
  const given =
    (of: typeof tokenLogprob): Op =>
    (h, data) =>
      of(h as tf.Tensor2D, weightOf(data, true), tokens, temperature);
  const inputs = [numbers([6, 9], 0.3), numbers([23, 9], 0.1)];
  const small = inputs.map((tensor) => tf.mul(tensor, 0.1));
  expectSame(given(tokenLogprob), given(tokenLogprobPlain), small);
});
