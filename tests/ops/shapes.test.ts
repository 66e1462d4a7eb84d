/** Every op at its border: a shape that does not fit is refused with the op, the argument and both shapes, before anything runs. */
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
import { projectHeads, type HeadNorms } from '../../src/ops/project-heads';
import { swiglu } from '../../src/ops/swiglu';
import { tokenLogprob } from '../../src/ops/token-logprob';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

const vector = (size: number): tf.Tensor1D => tf.zeros([size]);
const ids = (size: number): tf.Tensor1D => tf.zeros([size], 'int32');
const matrix = (...shape: [number, number]): tf.Tensor2D => tf.zeros(shape);
const cube = (...shape: [number, number, number]): tf.Tensor3D => tf.zeros(shape);
type Four = [number, number, number, number];
const four = (...shape: Four): tf.Tensor4D => tf.zeros(shape);

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
const adapter = (aRows: number, bRows: number) => ({
  a: { ...f32(aRows, 6), format: 'f32' as const, data: matrix(aRows, 6), trainable: true },
  b: matrix(bRows, 3),
  scale: 1,
});
const headShape = { heads: 2, kvHeads: 1, headDim: 4 };
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
/** Of two rows that share a prompt of two tokens. */
const newTokenCache = () =>
  createKeyValueCache(layOutPrompts({ k: four(1, 2, 1, 4), v: four(1, 2, 1, 4) }), [2], [0, 0], 3);
const sampling = { temperature: 1, seed: 1, stream: 0, position: 0 };

type Shape = readonly [number, number, number];
const joined = (changes: object) => jointLinear(matrix(2, 6), { ...joint(), ...changes });
const split = (rows: number, segments: number[], headDim = 4, norms: HeadNorms | null = null, inputs = 6) =>
  projectHeads(matrix(rows, inputs), toHeads(segments), { ...headShape, headDim }, rotation(), norms);
const branches = (...[q, k, v]: [Shape, Shape, Shape]) =>
  attention(cube(...q), cube(...k), cube(...v), layout);
const decoded = (rows: number, segments: number[]) =>
  attendNewToken(matrix(rows, 6), toHeads(segments), newTokenCache(), rotation(), null);

/** Op, argument, its shape and the one expected, and a call of it. */
const wrong: [string, () => unknown][] = [
  ['jointLinear: x [2, 5] for [any, 6]', () => jointLinear(matrix(2, 5), joint())],
  ['jointLinear: weight.data [3, 6] for [4, 6]', () => joined({ weight: f32(4, 6, 3) })],
  ['jointLinear: weight.data [11] for [12]', () => joined({ weight: bf16(11) })],
  ['jointLinear: bias [3] for [4]', () => joined({ bias: vector(3) })],
  [
    'jointLinear: residual [2, 3] for [2, 4]',
    () => jointLinear(matrix(2, 6), { ...joint(), bias: null }, matrix(2, 3)),
  ],
  ['jointLinear: adapter.b [5, 3] for [4, any]', () => joined({ adapter: adapter(6, 5) })],
  ['jointLinear: adapter.a [3, 6] for [6, 6]', () => joined({ adapter: adapter(3, 4) })],
  ['jointLinear: sum of segments [5] for [4]', () => joined({ segments: [2, 3] })],
  ['swiglu: x [2, 5] for [any, 6]', () => swiglu(matrix(2, 5), joint())],
  ['swiglu: gateUp [3, 1] for [3, 3]', () => swiglu(matrix(2, 6), { ...joint(), segments: [3, 1] })],
  ['embedding: table.data [3, 6] for [4, 6]', () => embedding(ids(2), f32(4, 6, 3))],
  ['rmsNorm: weight [5] for [6]', () => rmsNorm(matrix(2, 6), vector(5), 1e-6)],
  ['rope: x [2, 3, 6] for [any, any, 4]', () => rope(cube(2, 3, 6), rotation())],
  ['rope: rotation.positions [2] for [3]', () => rope(cube(3, 3, 4), rotation())],
  ['projectHeads: qkv [8, 4, 3] for [8, 4, 4]', () => split(2, [8, 4, 3])],
  ['projectHeads: x [2, 5] for [any, 6]', () => split(2, [8, 4, 4], 4, null, 5)],
  ['projectHeads: rotation.positions [2] for [3]', () => split(3, [8, 4, 4])],
  ['projectHeads: rotation.tables.angles [8, 2, 2] for [any, 4, 2]', () => split(2, [16, 8, 8], 8)],
  [
    'projectHeads: norms.k [3] for [4]',
    () => split(2, [8, 4, 4], 4, { q: vector(4), k: vector(3), epsilon: 1 }),
  ],
  ['attention: q [4, 2, 4] for [5, any, any]', () => branches([4, 2, 4], [5, 2, 4], [5, 2, 4])],
  ['attention: k [5, 2, 3] for [5, any, 4]', () => branches([5, 2, 4], [5, 2, 3], [5, 2, 3])],
  ['attention: v [5, 1, 4] for [5, 2, 4]', () => branches([5, 2, 4], [5, 2, 4], [5, 1, 4])],
  ['attention: q [5, 3, 4] for [any, 2, any]', () => branches([5, 3, 4], [5, 2, 4], [5, 2, 4])],
  [
    'layOutPrompts: v [1, 3, 1, 4] for [1, 2, 1, 4]',
    () => layOutPrompts({ k: four(1, 2, 1, 4), v: four(1, 3, 1, 4) }),
  ],
  [
    'createKeyValueCache: prompt.k [1, 2, 1, 4] for [2, any, any, any]',
    () => createKeyValueCache({ k: four(1, 2, 1, 4), v: four(1, 2, 1, 4) }, [2, 2], [0, 1], 3),
  ],
  ['attendNewToken: qkv [8, 8, 8] for [8, 4, 4]', () => decoded(2, [8, 8, 8])],
  ['attendNewToken: x [3, 6] for [2, any]', () => decoded(3, [8, 4, 4])],
  [
    'attendNewToken: cache.filled [3] for [2]',
    () => {
      const cache = newTokenCache();
      for (let token = 0; token < 4; token++)
        attendNewToken(matrix(2, 6), toHeads([8, 4, 4]), cache, rotation(), null);
    },
  ],
  ['tokenLogprob: head.data [3, 6] for [4, 6]', () => tokenLogprob(matrix(2, 6), f32(4, 6, 3), ids(2), 1)],
  ['tokenLogprob: h [2, 5] for [any, 6]', () => tokenLogprob(matrix(2, 5), f32(4, 6), ids(2), 1)],
  ['tokenLogprob: tokens [3] for [2]', () => tokenLogprob(matrix(2, 6), f32(4, 6), ids(3), 1)],
  ['sampleHead: head.data [3, 6] for [4, 6]', () => sampleHead(matrix(2, 6), f32(4, 6, 3), ids(2), sampling)],
  ['sampleHead: h [2, 5] for [any, 6]', () => sampleHead(matrix(2, 5), f32(4, 6), ids(2), sampling)],
  ['sampleHead: rowIds [3] for [2]', () => sampleHead(matrix(2, 6), f32(4, 6), ids(3), sampling)],
  [
    'sampleHead: ended.newest [1] for [2]',
    () => sampleHead(matrix(2, 6), f32(4, 6), ids(2), sampling, { newest: ids(1), stopIds: ids(1) }),
  ],
  ['adamW: gradient [4] for [5]', () => adamW(state(5, 5), vector(4), settings)],
  ['adamW: state.moment2 [4] for [5]', () => adamW(state(5, 4), vector(5), settings)],
  ['addEach: terms[0] [3] for [2]', () => addEach([vector(2)], [vector(3)])],
];

const settings = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  update: 1,
  gradientScale: 1,
};
const state = (size: number, moment2: number) => ({
  parameters: vector(size),
  moment1: vector(size),
  moment2: vector(moment2),
});

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
