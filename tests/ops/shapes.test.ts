/** Every op at its border: a shape that does not fit is refused with the op, the argument and both shapes, before anything runs. */
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { adamW } from '../../src/ops/adamw';
import { addEach } from '../../src/ops/add-each';
import { attention } from '../../src/ops/attention';
import { sharedPrefixAttention } from '../../src/ops/shared-prefix-attention';
import { attendNewToken, createKeyValueCache } from '../../src/ops/decode-attention';
import { embedding } from '../../src/ops/embedding';
import { jointLinear } from '../../src/ops/joint-linear';
import { linear } from '../../src/ops/linear';
import type { Weight } from '../../src/ops/lib/weight';
import { rmsNorm } from '../../src/ops/rms-norm';
import { rope, ropeTables, rotaryFrequencies, rotationAt, type Rotation } from '../../src/ops/rope';
import { sampleHead } from '../../src/ops/sample-head';
import { projectHeads } from '../../src/ops/project-heads';
import { tokenLogprob } from '../../src/ops/token-logprob';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('cpu');

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
  batch: 2,
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
const newTokenCache = () => createKeyValueCache({ k: four(1, 2, 1, 4), v: four(1, 2, 1, 4) }, [2], [0, 0], 3);
const sampling = { temperature: 1, seed: 1, stream: 0, position: 0 };

const wrong: [string, () => unknown][] = [
  ['linear: x has shape [2, 5], expected [any, 6]', () => linear(matrix(2, 5), f32(4, 6))],
  ['linear: weight.data has shape [3, 6], expected [4, 6]', () => linear(matrix(2, 6), f32(4, 6, 3))],
  ['linear: weight.data has shape [11], expected [12]', () => linear(matrix(2, 6), bf16(11))],
  ['linear: bias has shape [5], expected [4]', () => linear(matrix(2, 6), f32(4, 6), { bias: vector(5) })],
  [
    'linear: residual has shape [2, 6], expected [2, 4]',
    () => linear(matrix(2, 6), f32(4, 6), { residual: matrix(2, 6) }),
  ],
  ['jointLinear: x has shape [2, 5], expected [any, 6]', () => jointLinear(matrix(2, 5), joint())],
  [
    'jointLinear: weight.data has shape [3, 6], expected [4, 6]',
    () => jointLinear(matrix(2, 6), { ...joint(), weight: f32(4, 6, 3) }),
  ],
  [
    'jointLinear: bias has shape [3], expected [4]',
    () => jointLinear(matrix(2, 6), { ...joint(), bias: vector(3) }),
  ],
  [
    'jointLinear: residual has shape [3, 4], expected [2, 4]',
    () => jointLinear(matrix(2, 6), joint(), matrix(3, 4)),
  ],
  [
    'jointLinear: adapter.b has shape [5, 3], expected [4, any]',
    () => jointLinear(matrix(2, 6), { ...joint(), adapter: adapter(6, 5) }),
  ],
  [
    'jointLinear: adapter.a has shape [3, 6], expected [6, 6]',
    () => jointLinear(matrix(2, 6), { ...joint(), adapter: adapter(3, 4) }),
  ],
  ['embedding: table.data has shape [3, 6], expected [4, 6]', () => embedding(ids(2), f32(4, 6, 3))],
  ['embedding: table.data has shape [11], expected [12]', () => embedding(ids(2), bf16(11))],
  ['rmsNorm: weight has shape [5], expected [6]', () => rmsNorm(matrix(2, 6), vector(5), 1e-6)],
  ['rope: x has shape [2, 3, 6], expected [any, any, 4]', () => rope(cube(2, 3, 6), rotation())],
  ['rope: rotation.positions has shape [2], expected [3]', () => rope(cube(3, 3, 4), rotation())],
  [
    'projectHeads: qkv has shape [8, 4, 3], expected [8, 4, 4]',
    () => projectHeads(matrix(2, 6), toHeads([8, 4, 3]), headShape, rotation(), null),
  ],
  [
    'projectHeads: rotation.positions has shape [2], expected [3]',
    () => projectHeads(matrix(3, 6), toHeads([8, 4, 4]), headShape, rotation(), null),
  ],
  [
    'projectHeads: rotation.tables.angles has shape [8, 2, 2], expected [any, 4, 2]',
    () => projectHeads(matrix(2, 6), toHeads([16, 8, 8]), { ...headShape, headDim: 8 }, rotation(), null),
  ],
  [
    'projectHeads: norms.k has shape [3], expected [4]',
    () =>
      projectHeads(matrix(2, 6), toHeads([8, 4, 4]), headShape, rotation(), {
        q: vector(4),
        k: vector(3),
        epsilon: 1,
      }),
  ],
  [
    'attention: k has shape [1, 4, 2, 4], expected [1, 3, any, 4]',
    () => attention(four(1, 3, 2, 4), four(1, 4, 2, 4), four(1, 4, 2, 4)),
  ],
  [
    'attention: v has shape [1, 3, 1, 4], expected [1, 3, 2, 4]',
    () => attention(four(1, 3, 2, 4), four(1, 3, 2, 4), four(1, 3, 1, 4)),
  ],
  [
    'attention: q has shape [1, 3, 3, 4], expected [any, any, 2, any]',
    () => attention(four(1, 3, 3, 4), four(1, 3, 2, 4), four(1, 3, 2, 4)),
  ],
  [
    'sharedPrefixAttention: q has shape [4, 2, 4], expected [5, any, any]',
    () => sharedPrefixAttention(cube(4, 2, 4), cube(5, 2, 4), cube(5, 2, 4), layout),
  ],
  [
    'sharedPrefixAttention: k has shape [5, 2, 3], expected [5, any, 4]',
    () => sharedPrefixAttention(cube(5, 2, 4), cube(5, 2, 3), cube(5, 2, 3), layout),
  ],
  [
    'sharedPrefixAttention: v has shape [5, 1, 4], expected [5, 2, 4]',
    () => sharedPrefixAttention(cube(5, 2, 4), cube(5, 2, 4), cube(5, 1, 4), layout),
  ],
  [
    'sharedPrefixAttention: q has shape [5, 3, 4], expected [any, 2, any]',
    () => sharedPrefixAttention(cube(5, 3, 4), cube(5, 2, 4), cube(5, 2, 4), layout),
  ],
  [
    'createKeyValueCache: prompt.v has shape [1, 3, 1, 4], expected [1, 2, 1, 4]',
    () => createKeyValueCache({ k: four(1, 2, 1, 4), v: four(1, 3, 1, 4) }, [2], [0], 3),
  ],
  [
    'createKeyValueCache: prompt.k has shape [1, 2, 1, 4], expected [2, any, any, any]',
    () => createKeyValueCache({ k: four(1, 2, 1, 4), v: four(1, 2, 1, 4) }, [2, 2], [0, 1], 3),
  ],
  [
    'attendNewToken: qkv has shape [8, 8, 8], expected [8, 4, 4]',
    () => attendNewToken(matrix(2, 6), toHeads([8, 8, 8]), newTokenCache(), rotation(), null),
  ],
  [
    'attendNewToken: x has shape [3, 6], expected [2, any]',
    () => attendNewToken(matrix(3, 6), toHeads([8, 4, 4]), newTokenCache(), rotation(), null),
  ],
  [
    'tokenLogprob: head.data has shape [3, 6], expected [4, 6]',
    () => tokenLogprob(matrix(2, 6), f32(4, 6, 3), ids(2), 1),
  ],
  [
    'tokenLogprob: h has shape [2, 5], expected [any, 6]',
    () => tokenLogprob(matrix(2, 5), f32(4, 6), ids(2), 1),
  ],
  [
    'tokenLogprob: tokens has shape [3], expected [2]',
    () => tokenLogprob(matrix(2, 6), f32(4, 6), ids(3), 1),
  ],
  [
    'sampleHead: head.data has shape [3, 6], expected [4, 6]',
    () => sampleHead(matrix(2, 6), f32(4, 6, 3), ids(2), sampling),
  ],
  [
    'sampleHead: h has shape [2, 5], expected [any, 6]',
    () => sampleHead(matrix(2, 5), f32(4, 6), ids(2), sampling),
  ],
  [
    'sampleHead: rowIds has shape [3], expected [2]',
    () => sampleHead(matrix(2, 6), f32(4, 6), ids(3), sampling),
  ],
  [
    'sampleHead: ended.newest has shape [1], expected [2]',
    () => sampleHead(matrix(2, 6), f32(4, 6), ids(2), sampling, { newest: ids(1), stopIds: ids(1) }),
  ],
  ['adamW: gradient has shape [4], expected [5]', () => adamW(state(5, 5), vector(4), settings)],
  ['adamW: state.moment2 has shape [4], expected [5]', () => adamW(state(5, 4), vector(5), settings)],
  ['addEach: terms[0] has shape [3], expected [2]', () => addEach([vector(2)], [vector(3)])],
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

describe('refuses what does not fit:', () => {
  it.each(wrong)('%s', (message, call) => {
    expect(call).toThrow(expect.objectContaining({ code: 'ops/shape', message: `${message}.` }));
  });
});
