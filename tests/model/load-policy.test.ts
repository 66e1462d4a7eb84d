import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/model/load-policy';
import type { Policy } from '../../src/model/policy';
import type { ModelSource } from '../../src/model/source/source';
import { refusal } from './refusal';
import { embeddedFiles } from '../export/model-folder';
import { engine, openEngineForAll } from '../fixtures/engine';
import { adamW, pulling, tinyPolicy } from './tiny';

const model = { files: embeddedFiles('ladder-25k') };
const prompt = [[3, 4, 5, 6, 7]];
const lora = { rank: 4, alpha: 8 };

/** A trained adapter of rank 4, and the logits of the model with it. */
async function savedAdapter(): Promise<{ adapter: ModelSource; logits: Float32Array[] }> {
  const policy = await loadPolicy(engine, model, { lora });
  const { parameters, ...state } = await policy.state();
  policy.restore({ ...state, parameters: parameters.map((value, index) => value + Math.sin(index) / 50) });
  const logits = await policy.logits(prompt);
  const adapter = { files: await policy.exportAdapter() };
  policy.dispose();
  return { adapter, logits };
}

openEngineForAll('wasm');

it.each([
  ['all weights', () => Promise.resolve(() => tinyPolicy(engine, { tiedHead: false }))],
  [
    'a saved adapter',
    async () => {
      const { adapter } = await savedAdapter();
      return () => loadPolicy(engine, model, { lora, adapter });
    },
  ],
])('%s are the reference of a run from them, also after updates and a restored state', async (_, prepare) => {
  const tensors = tf.memory().numTensors;
  const open = await prepare();
  const logprobsOf = async (policy: Policy, adapter: 'on' | 'off'): Promise<Float32Array[]> =>
    (await policy.logprobs(prompt, [1], { adapter })).logprobs;
  const policy = await open();
  const start = await logprobsOf(policy, 'on');
  policy.freezeReference();
  await policy.backward(prompt, [1], pulling(-1));
  await policy.update(adamW(1e-2));
  const trained = await logprobsOf(policy, 'on');
  expect(trained).not.toEqual(start);
  const other = await open();
  other.restore(await policy.state());
  for (const each of [policy, other]) {
    expect(await logprobsOf(each, 'on')).toEqual(trained);
    expect(await logprobsOf(each, 'off')).toEqual(start);
    const state = await each.state();
    for (const name of ['parameters', 'moment2', 'reference'] as const) {
      const short = { ...state, [name]: state[name]!.subarray(1) };
      expect(() => each.restore(short)).toThrow(refusal('model/state-size', name));
    }
    expect(await each.state()).toEqual(state);
    expect(await logprobsOf(each, 'off')).toEqual(start);
    each.dispose();
  }
  expect(tf.memory().numTensors).toBe(tensors);
});

describe('a saved adapter', () => {
  it('continues from its state, and is rejected if the run has another rank', async () => {
    const { adapter, logits } = await savedAdapter();
    const policy = await loadPolicy(engine, model, { lora, adapter });
    expect(await policy.logits(prompt)).toEqual(logits);
    const load = loadPolicy(engine, model, { lora: { rank: 2, alpha: 8 }, adapter });
    await expect(load).rejects.toEqual(refusal('model/adapter-rank', 'rank 4'));
  });

  it('that was trained from new is copied as the reference, also to a saved state', async () => {
    const tensors = tf.memory().numTensors;
    const policy = await loadPolicy(engine, model, { lora });
    policy.freezeReference();
    await policy.backward(prompt, [1], pulling(-1));
    await policy.update(adamW(1e-2));
    const { logprobs: trained } = await policy.logprobs(prompt, [1]);
    const other = await loadPolicy(engine, model, { lora });
    other.restore(await policy.state());
    for (const frozen of [policy, other]) {
      frozen.freezeReference();
      expect((await frozen.logprobs(prompt, [1], { adapter: 'off' })).logprobs).toEqual(trained);
      const { reference, parameters, updates } = await frozen.state();
      expect([reference, updates]).toEqual([parameters, 0]);
      frozen.dispose();
    }
    expect(tf.memory().numTensors).toBe(tensors);
  });

  it('that is new has the model without it as the reference, without a copy', async () => {
    const generation = new Blob(['{"eos_token_id": [5, 6]}']);
    const files = { ...model.files, 'generation_config.json': generation };
    const policy = await loadPolicy(engine, { files }, { lora });
    expect(policy.config.eosTokenIds).toEqual([5, 6]);
    const tensors = tf.memory().numTensors;
    policy.freezeReference();
    expect(tf.memory().numTensors).toBe(tensors);
    expect((await policy.state()).reference).toBeNull();
  });
});
