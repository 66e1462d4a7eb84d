/** Every op refuses a shape that does not fit with the op, the argument and both shapes, before anything runs. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { adamW } from '../../src/ops/adamw';
import { addEach } from '../../src/ops/add-each';
import { attention } from '../../src/ops/attention';
import { attendNewToken, createKeyValueCache, layOutPrompts } from '../../src/ops/decode-attention';
import { embedding } from '../../src/ops/embedding';
import { jointLinear } from '../../src/ops/joint-linear';
import type { Weight } from '../../src/ops/lib/weight';
import { rmsNorm } from '../../src/ops/rms-norm';
import { rope, ropeTables, rotaryFrequencies, rotationAt, type Rotation } from '../../src/ops/rope';
import { sampleHead } from '../../src/ops/sample-head';
import { projectHeads } from '../../src/ops/project-heads';
import { swiglu } from '../../src/ops/swiglu';
import { tokenLogprob } from '../../src/ops/token-logprob';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

const vector = (size: number): tf.Tensor1D => tf.zeros([size]);
const ids = (size: number): tf.Tensor1D => tf.zeros([size], 'int32');
const matrix = (...shape: [number, number]): tf.Tensor2D => tf.zeros(shape);
const cube = (...shape: [number, number, number]): tf.Tensor3D => tf.zeros(shape);
const four = (...shape: [number, number, number, number]): tf.Tensor4D => tf.zeros(shape);

/** [outputs, inputs] in a tensor of `rows` rows. */
const f32 = (outputs: number, inputs: number, rows = outputs): Weight => ({
  format: 'f32',
  data: matrix(rows, inputs),
  outputs,
  inputs,
  trainable: false,
});
const bf16 = (words: number): Weight => ({ format: 'bf16', data: ids(words), outputs: 4, inputs: 6 });
/** At two rows, heads of four. */
const rotation = (): Rotation =>
  rotationAt(ropeTables(8, rotaryFrequencies(4, 100)), Int32Array.from([0, 1]));
const layout = {
  length: 1,
  prompts: { length: 3, branches: { samples: 2, prefixLengths: [3] } },
};
const joint = () => ({
  segments: [2, 2],
  weight: f32(4, 6),
  bias: vector(4),
  adapter: null,
});
/** Queries, keys and values of six inputs. */
const toHeads = (segments: number[]) => ({
  ...joint(),
  segments,
  weight: f32(
    segments.reduce((sum, outputs) => sum + outputs),
    6,
  ),
  bias: null,
});
const sampling = { temperature: 1, seed: 1, stream: 0, position: 0 };

const joined = (changes: object) => jointLinear(matrix(2, 6), { ...joint(), ...changes });
const split = (segments: number[], headDim = 4) =>
  projectHeads(matrix(2, 6), toHeads(segments), { heads: 2, kvHeads: 1, headDim }, rotation(), null);

/** Op, argument, its shape and the one expected, and a call of it. */
const wrong: [string, () => unknown][] = [
  ['jointLinear: weight.data [3, 6] for [4, 6]', () => joined({ weight: f32(4, 6, 3) })],
  ['jointLinear: weight.data [11] for [12]', () => joined({ weight: bf16(11) })],
  [
    'jointLinear: residual [2, 3] for [2, 4]',
    () => jointLinear(matrix(2, 6), { ...joint(), bias: null }, matrix(2, 3)),
  ],
  [
    'jointLinear: adapter.a [3, 6] for [6, 6]',
    () => joined({ adapter: { a: f32(3, 6), b: matrix(4, 3), scale: 1 } }),
  ],
  ['jointLinear: sum of segments [5] for [4]', () => joined({ segments: [2, 3] })],
  ['swiglu: gateUp [3, 1] for [3, 3]', () => swiglu(matrix(2, 6), { ...joint(), segments: [3, 1] })],
  ['embedding: table.data [3, 6] for [4, 6]', () => embedding(ids(2), f32(4, 6, 3))],
  ['rmsNorm: weight [5] for [6]', () => rmsNorm(matrix(2, 6), vector(5), 1e-6)],
  ['rope: x [2, 3, 6] for [any, any, 4]', () => rope(cube(2, 3, 6), rotation())],
  ['projectHeads: qkv [8, 4, 3] for [8, 4, 4]', () => split([8, 4, 3])],
  ['projectHeads: rotation.tables.angles [8, 2, 2] for [any, 4, 2]', () => split([16, 8, 8], 8)],
  [
    'attention: q [4, 2, 4] for [5, any, any]',
    () => attention(cube(4, 2, 4), cube(5, 2, 4), cube(5, 2, 4), layout),
  ],
  [
    'layOutPrompts: v [1, 3, 1, 4] for [1, 2, 1, 4]',
    () => layOutPrompts({ k: four(1, 2, 1, 4), v: four(1, 3, 1, 4) }),
  ],
  [
    'attendNewToken: cache.filled [3] for [2]',
    () => {
      const prompts = layOutPrompts({ k: four(1, 2, 1, 4), v: four(1, 2, 1, 4) });
      const cache = createKeyValueCache(prompts, [2], [0, 0], 3);
      for (let token = 0; token < 4; token++)
        attendNewToken(matrix(2, 6), toHeads([8, 4, 4]), cache, rotation(), null);
    },
  ],
  ['tokenLogprob: tokens [3] for [2]', () => tokenLogprob(matrix(2, 6), f32(4, 6), ids(3), 1)],
  ['sampleHead: rowIds [3] for [2]', () => sampleHead(matrix(2, 6), f32(4, 6), ids(3), sampling)],
  [
    'adamW: state.moment2 [4] for [5]',
    () => adamW({ parameters: vector(5), moment1: vector(5), moment2: vector(4) }, vector(5), settings),
  ],
  ['addEach: terms[0] [3] for [2]', () => addEach([vector(2)], [vector(3)])],
];

const settings = {
  ...{ learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0 },
  ...{ update: 1, gradientScale: 1 },
};

it.each(wrong)('refuses wrong shapes: %s', (shapes, call) => {
  const [, argument, found, expected] = /^(.*) (\[.*?\]) for (\[.*\])$/.exec(shapes)!;
  const message = `${argument} has shape ${found}, expected ${expected}.`;
  expect(call).toThrow(expect.objectContaining({ code: 'ops/shape', message }));
});

it('refuses a bias beside a residual', () => {
  expect(() => jointLinear(matrix(2, 6), joint(), matrix(2, 4))).toThrow(
    expect.objectContaining({ code: 'ops/bias-and-residual' }),
  );
});
