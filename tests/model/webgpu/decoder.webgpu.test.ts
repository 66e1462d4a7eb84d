import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import type { ModelConfig } from '../../../src/model/config';
import type { GenerateOptions, Policy } from '../../../src/model/policy';
import { largestDifference } from '../golden-policy';
import { adamW, continued, pulling, tinyPolicy } from '../tiny';
import { engine, openEngineForAll, slowed } from '../../fixtures/engine';

openEngineForAll(openSharedEngine);

const prompts = [[3, 4, 5, 6], [7, 8], [9]];
const samplesPerPrompt = 2;

const sample = (policy: Policy, maxNewTokens: number, onProgress?: GenerateOptions['onProgress']) =>
  policy.generate(prompts, {
    ...{ samplesPerPrompt, maxNewTokens, temperature: 0.8, seed: 11, stopIds: [], onProgress },
  });

/** Makes the adapter's B nonzero. */
async function takeStep(policy: Policy): Promise<void> {
  await policy.backward([[3, 4, 5, 6, 7]], [2], pulling(1));
  await policy.update(adamW(0.1));
}

/** Largest difference between the log-probabilities of sampling and of training. */
async function samplerAgainstTrainer(policy: Policy): Promise<number> {
  const completions = await sample(policy, 6);
  const { sequences, lengths } = continued(prompts, completions);
  const { logprobs } = await policy.logprobs(sequences, lengths, { temperature: 0.8 });
  return Math.max(
    ...completions.map((completion, row) => largestDifference(completion.logprobs, logprobs[row])),
  );
}

const lora = { rank: 8, alpha: 16, seed: 3 };

it('reads back every 16 steps', async () => {
  const policy = await tinyPolicy(engine);
  const before = engine.counts().readbacks;
  await sample(policy, 48);
  expect(engine.counts().readbacks - before).toBe(3);
});

it('samples nothing after a stop id: the device repeats it until the readback, which removes the row', async () => {
  const policy = await tinyPolicy(engine);
  const reading = vi.spyOn(tf.backend(), 'read');
  const stopIds = [2, 9];
  const options = { samplesPerPrompt: 3, maxNewTokens: 32, temperature: 1, seed: 4 };
  const held: number[] = [];
  const onProgress = (): Promise<void> => {
    held.push(engine.memory().total);
    return Promise.resolve();
  };
  const stopped = await policy.generate(prompts, { ...options, stopIds, onProgress });
  const [values] = await Promise.all(reading.mock.results.map(({ value }) => value as Promise<Float32Array>));
  reading.mockRestore();
  const words = new Int32Array(values.buffer, values.byteOffset, values.length); // the bits of token ids
  const whole = await policy.generate(prompts, { ...options, stopIds: [] });
  const rows = whole.length;
  const ends = whole.map(({ tokens }) => tokens.findIndex((token) => stopIds.includes(token)));
  expect(ends.filter((end) => end >= 0 && end < 12).length).toBeGreaterThan(1);
  expect(ends.filter((end) => end >= 16).length).toBeGreaterThan(0); // these continue after the compaction
  expect(Math.min(...held)).toBeLessThan(held[0]);
  whole.forEach(({ tokens, logprobs }, row) => {
    const end = ends[row] < 0 ? tokens.length : ends[row] + 1;
    expect(stopped[row].tokens).toEqual(tokens.slice(0, end));
    expect(largestDifference(stopped[row].logprobs, logprobs.slice(0, end))).toBeLessThan(1e-5);
    for (let step = end; step < 16; step++) {
      expect(words[2 * step * rows + row]).toBe(tokens[end - 1]);
      expect(values[(2 * step + 1) * rows + row]).toBe(0);
    }
  });
});

it('sampling on a slow device can be stopped between two readbacks', async () => {
  const policy = await tinyPolicy(slowed());
  const stopped = new Error('Stopped.');
  const seen: number[] = [];
  const sampling = sample(policy, 48, (done) => {
    seen.push(done);
    return done === 3 ? Promise.reject(stopped) : Promise.resolve();
  });
  await expect(sampling).rejects.toBe(stopped);
  vi.restoreAllMocks();
  expect(seen).toEqual([1, 2, 3]);
});

const shapes: [string, Partial<ModelConfig>][] = [
  ['three heads on one key', {}],
  ['untied, a key for each head', { tiedHead: false, kvHeads: 3, attentionBias: false }],
  ['normalised heads of 6', { headNorm: true, headDim: 6, hiddenSize: 10 }],
];

describe.each(shapes)('%s', (_, changes) => {
  it('sampling and training give the same log-probabilities, for all weights and for an adapter', async () => {
    const full = await tinyPolicy(engine, changes);
    expect(await samplerAgainstTrainer(full)).toBeLessThan(1e-4);
    const adapted = await tinyPolicy(engine, changes, lora);
    const [before] = await sample(adapted, 6);
    await takeStep(adapted);
    const [after] = await sample(adapted, 6);
    expect(largestDifference(before.logprobs, after.logprobs)).toBeGreaterThan(1e-2); // the adapter has an effect
    expect(await samplerAgainstTrainer(adapted)).toBeLessThan(1e-4);
  });
});

it('sequences fill all positions, to which their padding does not count', async () => {
  const policy = await tinyPolicy(engine, { maxPositions: 30 });
  const options = { samplesPerPrompt, maxNewTokens: 13, temperature: 1, seed: 2, stopIds: [] };
  const [{ tokens }] = await policy.generate([new Array<number>(17).fill(3)], options);
  expect(tokens).toHaveLength(13);
  const { logprobs } = await policy.logprobs([new Array<number>(30).fill(3)], [17]);
  expect(logprobs[0]).toHaveLength(13);
});
