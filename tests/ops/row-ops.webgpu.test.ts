/** Parts of the ops on WebGPU. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import { adamW } from '../../src/ops/adamw';
import { tokenLogprobWgsl } from '../../src/ops/token-logprob/wgsl';
import type { PoolInternals } from '../../src/gpu/webgpu/known-internals';
import { openEngineForAll } from '../fixtures/engine';
import {
  expectAdamWSteps,
  expectClose,
  expectFlattened,
  expectGathered,
  expectNorm,
  scoring,
} from './kernel-checks';

openEngineForAll(openPoisoned);

it('takes the same three steps of AdamW as the reference', expectAdamWSteps);

it('a step of AdamW leaves a clone of the parameters unchanged', async () => {
  const [parameters, moment1, moment2] = [1, 0, 0].map((value) => tf.keep(tf.fill<tf.Rank.R1>([100], value)));
  const state = { parameters, moment1, moment2 };
  const reference = tf.clone(parameters);
  const settings = { learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1 };
  adamW(state, tf.ones([100]), { ...settings, gradientScale: 1, update: 1 });
  await expectClose(reference, tf.ones([100]));
  expect((await state.parameters.data())[0]).not.toBe(1);
});

it('has the norm of the gradient, the same bits in every run', expectNorm);
it('gathers floats and integers, in any order and of any shape, with their bits', expectGathered);

it('tensors and parts of them become one vector in their order', expectFlattened);

it('takes rows in chunks when their logits would not fit, with the same result', async () => {
  const run = scoring(tokenLogprobWgsl);
  const bytes = 30 * 45 * 4 + 3;
  const whole = run(71 * 45 * 4);
  const { bufferManager } = tf.backend() as unknown as { bufferManager: PoolInternals };
  const making = vi.spyOn(bufferManager, 'acquireBuffer');
  const parts = run(bytes);
  expect(Math.max(...making.mock.calls.map(([size]) => size))).toBeLessThanOrEqual(bytes);
  making.mockRestore();
  for (let i = 0; i < 3; i++) await expectClose(parts[i], whole[i]);
});
