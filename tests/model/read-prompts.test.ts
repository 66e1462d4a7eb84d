/** Prompts that are prefilled once for several calls. */
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { GenerateOptions, Policy, ReadPrompts } from '../../src/model/policy';
import { refusal } from './refusal';
import { adamW, pulling, tinyPolicy } from './tiny';
import { engine, openEngineForAll } from '../fixtures/engine';

const prompts = [[3, 4, 5, 6, 7], [9], [2, 2, 2]];
const greedy: GenerateOptions = {
  samplesPerPrompt: 1,
  maxNewTokens: 6,
  temperature: 0,
  seed: 1,
  stopIds: [1],
};

/** A policy that has prefilled the prompts. Both are freed with the engine. */
async function prefilled() {
  const policy = await tinyPolicy(engine);
  return { policy, read: await policy.readPrompts(prompts) };
}

describe('prefilled prompts on wasm', () => {
  openEngineForAll('wasm');

  it('give the completions of calls with their own prefill, for any calls with some of them in any order', async () => {
    const { policy, read } = await prefilled();
    const drawn = { ...greedy, samplesPerPrompt: 3, temperature: 1 };
    for (const options of [greedy, drawn, greedy]) {
      const again = await policy.generate(prompts, { ...options, read });
      expect(again).toEqual(await policy.generate(prompts, options));
    }
    const all = await policy.generate(prompts, greedy);
    const some = await policy.generate([prompts[2], prompts[0]], { ...greedy, read });
    expect(some.map(({ tokens }) => tokens)).toEqual([all[2].tokens, all[0].tokens]);
    const [alone] = await policy.generate([prompts[2]], greedy);
    expect(alone.logprobs[0]).toBe(all[2].logprobs[0]); // no bit depends on the other prompts
  });

  it('report how many completions have ended', async () => {
    const policy = await tinyPolicy(engine);
    const told: (number | undefined)[] = [];
    const onProgress = (_: number, finished?: number) => Promise.resolve(void told.push(finished));
    const drawn = { ...greedy, samplesPerPrompt: 3, temperature: 1, stopIds: [2, 9], onProgress };
    const completions = await policy.generate(prompts, drawn);
    const ends = completions.map(({ tokens, finished }) => (finished ? tokens.length : Infinity));
    expect(Math.min(...ends)).toBeLessThan(Infinity);
    expect(told).toEqual(told.map((_, at) => ends.filter((end) => end <= at + 1).length));
  });

  it('are disposed of without a leak', async () => {
    const policy = await tinyPolicy(engine);
    await policy.generate(prompts, greedy); // creates the tables of positions
    const before = tf.memory().numTensors;
    const read = await policy.readPrompts(prompts);
    await policy.generate(prompts, { ...greedy, read });
    const stop = (): Promise<never> => Promise.reject(new Error('stopped'));
    await expect(policy.generate(prompts, { ...greedy, read, onProgress: stop })).rejects.toThrow('stopped');
    await expect(policy.generate(prompts, { ...greedy, onProgress: stop })).rejects.toThrow('stopped');
    read.dispose();
    read.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });

  const changes: [string, (policy: Policy, read: ReadPrompts) => unknown][] = [
    [
      'an update',
      async (policy) => {
        await policy.backward([[1, 2, 3]], [1], pulling(-0.01));
        await policy.update(adamW(1e-3));
      },
    ],
    ['a restored state', async (policy) => policy.restore(await policy.state())],
    ['their disposal', (_, read) => read.dispose()],
  ];
  it.each(changes)('are rejected after %s', async (_, change) => {
    const { policy, read } = await prefilled();
    await change(policy, read);
    const stale = refusal('model/stale-prompts');
    await expect(policy.generate(prompts, { ...greedy, read })).rejects.toEqual(stale);
  });

  it('are rejected for a prompt that is not among them', async () => {
    const { policy, read } = await prefilled();
    const generating = policy.generate([[4, 4]], { ...greedy, read });
    await expect(generating).rejects.toEqual(refusal('model/prompt-not-read'));
  });
});
