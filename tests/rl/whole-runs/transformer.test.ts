/** The trainer on a real transformer of 5 k parameters, on the wasm backend. */
import { describe, expect, it } from 'vitest';
import * as tf from '@tensorflow/tfjs-core';
import { train } from '../../../src/rl/trainer';
import { eventsOf, ofType, recordsOf, smallConfig, smallTransformer } from '../runs';
import { engine, openEngineForAll } from '../../fixtures/engine';

openEngineForAll('wasm');

describe('the trainer on a transformer', () => {
  it('releases all resources when it is stopped or left within a step', async () => {
    // Wide enough that the batch does not fit at once and a pass has several ticks.
    const wide = { intermediateSize: 20000 };
    const policy = await smallTransformer(engine, { rank: 2, alpha: 4, seed: 1 }, wide);
    const config = smallConfig({
      steps: 1,
      rollout: { promptsPerStep: 4, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 24 },
      evaluation: { every: 2, items: 2, hardItems: 0, seed: 7 },
    });
    const ticks = ofType(await eventsOf(policy, config), 'progress');
    policy.freezeReference(); // as every run does; the first run trained the adapter, so a copy exists now
    const before = tf.memory();
    const within = ticks.flatMap(({ phase, fraction }, index) =>
      phase === 'update' && fraction > 0 ? [index + 1] : [],
    );
    expect(within.length).toBeGreaterThan(1);
    const sampling = ticks.findIndex(({ phase, fraction }) => phase === 'rollout' && fraction > 0) + 1;
    for (const [nth, how] of [
      [sampling, 'stop'],
      [within[0], 'leave'],
      [within.at(-1)!, 'stop'],
    ] as const) {
      const abort = new AbortController();
      let seen = 0;
      for await (const event of train(policy, config, { signal: abort.signal })) {
        if (event.type !== 'progress' || ++seen < nth) continue;
        if (how === 'leave') break;
        abort.abort();
      }
      expect(tf.memory().numTensors, `at tick ${nth}`).toBe(before.numTensors);
      expect(tf.memory().numBytes, `at tick ${nth}`).toBe(before.numBytes);
    }
    policy.dispose();
  }, 180_000);

  // All of its answers would be alike.
  it.each([false, true])('ends before its first update if the model overflows: %s', async (later) => {
    const policy = await smallTransformer(engine);
    const state = await policy.state();
    policy.restore({ ...state, parameters: state.parameters.map(() => 3e38) });
    const options = { needsSignal: true, evaluatesStartLater: later };
    const events = await eventsOf(policy, smallConfig({ steps: 2 }), options);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'rl/not-finite' } });
    expect([...recordsOf(events), ...ofType(events, 'eval')]).toEqual([]);
    policy.dispose();
  });
});
