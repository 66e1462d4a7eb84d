/** A model whose probabilities are not finite is refused at its first answer: all of its answers would be alike. */
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { randomSupply, type TensorSupply } from '../../../src/model/files/build-weights';
import type { Policy } from '../../../src/model/policy';
import { openItems } from '../../../src/rl/data';
import { evaluate } from '../../../src/rl/evaluate/evaluate';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { errorOf } from '../../model/refusal';
import { policyOf, tinyConfig } from '../../model/tiny';
import { eventsOf, recordsOf, smallConfig } from '../runs';
import { createTablePolicy, tableTokenizer } from '../table-policy';

openEngineForAll('wasm');

/** Every weight is finite, and the first product with the norm is not. */
function overflowing(): Promise<Policy> {
  const shape = { hiddenSize: 16, headDim: 8, heads: 2, intermediateSize: 40, layers: 1 };
  const config = { ...tinyConfig, ...shape, vocabularySize: tableTokenizer.vocabularySize };
  const supply: TensorSupply = {
    ...randomSupply(5, 0.25),
    vector: (parts) =>
      Promise.resolve(tf.keep(tf.fill([parts.reduce((sum, one) => sum + one.shape[0], 0)], 3e38))),
  };
  return policyOf(engine, config, supply, null, tableTokenizer);
}

/** The table policy with a sampler that computes NaN. */
function withNaN(): Policy {
  const policy = createTablePolicy();
  return {
    ...policy,
    generate: async (...asked) =>
      (await policy.generate(...asked)).map((one) => ({ ...one, logprobs: one.logprobs.with(0, NaN) })),
  };
}

describe.each([
  ['a transformer that overflows', overflowing],
  ['a sampler that computes NaN', () => Promise.resolve(withNaN())],
])('%s', (_, open) => {
  it.each([true, false])(
    'ends a run before its first update (test of the start later: %s)',
    async (evaluatesStartLater) => {
      const policy = await open();
      const events = await eventsOf(policy, smallConfig({ steps: 2 }), {
        needsSignal: true,
        evaluatesStartLater,
      });
      expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'rl/not-finite' } });
      expect(recordsOf(events)).toEqual([]);
      policy.dispose();
    },
  );

  it('is not evaluated', async () => {
    const policy = await open();
    const { suite } = openItems(smallConfig());
    expect(await errorOf(() => evaluate(policy, suite))).toMatchObject({ code: 'rl/not-finite' });
    policy.dispose();
  });
});
