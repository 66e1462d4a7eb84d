/** A run that the engine has no room for ends before it begins, by name; every preset has room. */
import { expect, it } from 'vitest';
import { loadPolicy, openEngine, refuseRun, train, type Engine } from '../../src/index';
import { presets } from '../../src/run/config/presets';
import { embeddedFiles } from '../export/model-folder';

it('refuses what has no room before anything of it is done, and plans a huge step in no time', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  const base = presets['ladder-25k'];
  const before = engine.memory();
  const limits = { maxBufferBytes: 1000, maxBindingBytes: 1000 };
  const tight = { ...engine, capabilities: limits as Engine['capabilities'] };
  const events = [];
  for await (const event of train(tight, policy, base)) events.push(event);
  expect(events).toMatchObject([{ type: 'failed', error: { code: 'model/adapter-too-small' } }]);
  expect(engine.memory()).toEqual(before);

  const large = { hiddenSize: 4096, intermediateSize: 16_384, layers: 32, vocabularySize: 150_000 };
  expect(refuseRun(engine, { ...policy.config, ...large }, base)?.code).toBe('model/memory-too-small');
  const rollout = { ...base.rollout, promptsPerStep: 256, samplesPerPrompt: 256, maxNewTokens: 8192 };
  expect(refuseRun(tight, policy.config, { ...base, rollout })?.code).toBe('model/adapter-too-small');
  for (const preset of Object.values(presets)) {
    if (preset.model.kind !== 'embedded') continue;
    const { config: model } = policy;
    expect(refuseRun(engine, model, preset), preset.preset).toBeNull();
  }
  policy.dispose();
  engine.dispose();
});
