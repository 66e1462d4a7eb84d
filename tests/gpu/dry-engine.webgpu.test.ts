import '../fixtures/webgpu/node-webgpu';
import '@tensorflow/tfjs-backend-webgpu'; // registers its flags
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { openDryEngine } from '../../src/gpu/dry/engine';
import { openEngine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { randomSupply } from '../model/random-supply';
import { halfBillionConfig } from '../fixtures/half-billion';
import { peaksOf } from './phases';

it.each([
  ['an adapter', { rank: 16, alpha: 32 }],
  ['all weights', null],
])('a dry engine has the peaks of a run on WebGPU that trains %s', { tags: ['long'] }, async (_, lora) => {
  const sizes = { hidden_size: 112, intermediate_size: 160, vocab_size: 300, eos_token_id: 1 };
  const config = parseModelConfig({ ...halfBillionConfig(2), ...sizes });
  const shape = { config, lora, prompts: 2, samples: 4, promptTokens: 20, newTokens: 37 };
  const supply = () => randomSupply(1, 0.05, lora === null);
  const real = await openEngine({ backend: 'webgpu' });
  const held = await peaksOf(real, supply(), shape);
  const { dispatches } = real.counts();
  const dry = await openDryEngine({ backend: 'webgpu' });
  const counted = await peaksOf(dry, supply(), shape);
  const { calls, flops } = dry.work;
  const { allocated, bound } = dry.largest();
  await dry.dispose();
  await real.check();
  real.dispose();
  for (const [phase, bytes] of Object.entries(held)) {
    expect(counted[phase] / bytes, phase).toBeGreaterThan(0.98);
    expect(counted[phase] / bytes, phase).toBeLessThan(1.02);
  }
  expect(calls / dispatches).toBeGreaterThan(0.98);
  expect(calls / dispatches).toBeLessThan(1.02);
  expect(flops).toBeGreaterThan(1e8);
  expect(bound).toBeLessThanOrEqual(allocated);
  expect(allocated).toBeLessThan(2e6);
});

it('a dry engine runs small ops on the device, also where no engine was open before', async () => {
  tf.env().set('WEBGPU_CPU_FORWARD', true); // the default of tfjs
  const dry = await openDryEngine({ backend: 'webgpu' });
  tf.add(tf.tensor1d([1]), tf.tensor1d([2]));
  expect(dry.work.calls).toBe(1);
  await dry.dispose();
});
