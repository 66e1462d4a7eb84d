/** Ops without a gradient. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { addEach } from '../../src/ops/add-each';
import type { AdamWState } from '../../src/ops/adamw';
import { adamWWgsl, gradientNormWgsl } from '../../src/ops/adamw/wgsl';
import { openEngineForAll } from '../fixtures/engine';
import { expectClose, expectFlattened, expectGathered, seeded } from './kernel-checks';
import { randomTensor } from './random-tensors';
import { adamWReference } from './references';

openEngineForAll(openPoisoned);

describe('adamW', () => {
  const settings = {
    learningRate: 0.01,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0.1,
    gradientScale: 0.3,
  };
  const size = 1001;
  const fresh = (values: tf.Tensor1D): AdamWState => ({
    parameters: tf.keep(tf.add(values, 0)),
    moment1: tf.keep(tf.zeros([size])),
    moment2: tf.keep(tf.zeros([size])),
  });

  it('takes the same three steps as the reference', async () => {
    const random = seeded('adamw');
    const start = randomTensor<tf.Rank.R1>(random, [size]);
    const wgsl = fresh(start);
    let reference = fresh(start);
    for (let update = 1; update <= 3; update++) {
      const gradient = randomTensor<tf.Rank.R1>(random, [size]);
      adamWWgsl(wgsl, gradient, { ...settings, update });
      reference = adamWReference(reference, gradient, { ...settings, update });
    }
    await expectClose(wgsl.parameters, reference.parameters);
    await expectClose(wgsl.moment1, reference.moment1);
    await expectClose(wgsl.moment2, reference.moment2);
  });

  it('leaves a clone of the parameters unchanged', async () => {
    const start = tf.ones<tf.Rank.R1>([size]);
    const state = fresh(start);
    const reference = tf.clone(state.parameters);
    adamWWgsl(state, tf.ones([size]), { ...settings, update: 1 });
    await expectClose(reference, start);
    expect((await state.parameters.data())[0]).not.toBe(1);
  });

  it('has the norm of the gradient, the same bits in every run', async () => {
    const gradient = randomTensor<tf.Rank.R1>(seeded('norm'), [100_003]);
    const values = Float32Array.from(await gradient.data());
    const expected = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    const first = await gradientNormWgsl(gradient);
    expect(Math.abs(first / expected - 1)).toBeLessThan(1e-6);
    for (let run = 1; run < 12; run++) expect(await gradientNormWgsl(gradient)).toBe(first);
  });
});

it('gathers floats and integers, in any order and of any shape, with their bits', expectGathered);

it.each([1, 4, 9])('adds %i pairs of different sizes and disposes of the terms', async (count) => {
  const random = seeded(`add ${count}`);
  const shapes = Array.from({ length: count }, (_, i) => [1 + ((i * 7) % 5), 1 + ((i * 61) % 130)]);
  const sums = shapes.map((shape) => randomTensor(random, shape));
  const terms = shapes.map((shape) => randomTensor(random, shape));
  const expected = sums.map((sum, i) => tf.add(sum, terms[i]));
  const before = tf.memory().numTensors;
  const added = addEach(sums, terms);
  expect(tf.memory().numTensors).toBe(before - count);
  for (let i = 0; i < count; i++) await expectClose(added[i], expected[i], 1e-7);
});

it('tensors and parts of them become one vector in their order', expectFlattened);
