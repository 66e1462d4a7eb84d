/** A model whose probabilities are not finite is refused at its first answer: all of its answers would be alike. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import type { TensorSupply } from '../../../src/model/files/build-weights';
import { randomSupply } from '../../model/random-supply';
import type { Policy } from '../../../src/model/policy';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { policyOf, tinyConfig } from '../../model/tiny';
import { eventsOf, ofType, recordsOf, smallConfig } from '../runs';
import { tableTokenizer } from '../table-policy';

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

it.each([false, true])(
  'a transformer that overflows ends a run before its first update (test of the start later: %s)',
  async (evaluatesStartLater) => {
    const policy = await overflowing();
    const events = await eventsOf(policy, smallConfig({ steps: 2 }), {
      needsSignal: true,
      evaluatesStartLater,
    });
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'rl/not-finite' } });
    expect([...recordsOf(events), ...ofType(events, 'eval')]).toEqual([]);
    policy.dispose();
  },
);
