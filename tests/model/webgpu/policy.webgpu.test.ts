import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { Completion, Policy } from '../../../src/model/policy';
import { bothModels, describeGoldenPolicies, describeStories } from '../golden-policy';
import { expectGradientsToMatchDifferences, gradientCases } from '../gradients';
import { adamW, continued, tinyPolicy } from '../tiny';
import { sampled } from '../../fixtures/sample';
import { engine, openEngineForAll } from '../../fixtures/engine';

const prompts = [
  [3, 4, 5],
  [5, 6],
];

/** Samples, scores under the reference, and accumulates the gradients of the samples. */
async function sampleAndGoBack(policy: Policy, stream: number): Promise<Completion[]> {
  const options = { samplesPerPrompt: 3, maxNewTokens: 8, temperature: 1, stopIds: [1] };
  const completions = await policy.generate(prompts, { ...options, seed: 1, stream });
  const { sequences, lengths } = continued(prompts, completions);
  await policy.logprobs(sequences, lengths, { adapter: 'off' });
  await policy.backward(sequences, lengths, {
    objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map((_, t) => 0.01 * (t - 2))) }),
  });
  return completions;
}

const UPDATE = adamW(1e-3);

describe('webgpu', () => {
  openEngineForAll(openSharedEngine);

  // wasm tests the untied model in every run.
  describeGoldenPolicies('webgpu', () => engine, sampled(['qwen2-tied'], bothModels));
  describeStories('webgpu', () => engine, sampled(49, 257));

  it.each(sampled(gradientCases.slice(0, 1), gradientCases))(
    'has the gradients of the loss, with %s',
    async (_name, changes, lora) => expectGradientsToMatchDifferences(engine, changes, lora),
  );

  it.each([
    ['an adapter of rank 8', { rank: 8, alpha: 16, seed: 1 }],
    ['all weights', null],
  ])('leaks no tensor and no byte in many steps that sample and train %s', async (_name, lora) => {
    const tensorsBefore = tf.memory().numTensors;
    const policy = await tinyPolicy(engine, {}, lora);
    policy.freezeReference();
    const step = async (stream: number): Promise<unknown> => {
      await sampleAndGoBack(policy, stream);
      await policy.update(UPDATE);
      await engine.check();
      const { numTensors, numBytes } = tf.memory();
      return { numTensors, numBytes, total: engine.memory().total };
    };
    await step(0);
    const first = await step(1);
    let last: unknown = null;
    for (let stream = 2; stream < 2 + sampled(4, 50); stream++) last = await step(stream);
    expect(last).toEqual(first);
    policy.dispose();
    expect(tf.memory().numTensors).toBe(tensorsBefore);
  });

  it('samples and trains bitwise reproducibly', async () => {
    const run = async (): Promise<unknown> => {
      const policy = await tinyPolicy(engine, { kvHeads: 3 }, { rank: 8, alpha: 16, seed: 1 });
      const completions = await sampleAndGoBack(policy, 0);
      const gradients = await policy.gradients();
      const { gradNorm } = await policy.update(UPDATE);
      return { completions, gradients, gradNorm, state: await policy.state() };
    };
    const first = await run();
    for (let time = 1; time < sampled(4, 12); time++) expect(await run()).toEqual(first);
  });
});
