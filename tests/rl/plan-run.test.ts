/** A run that the engine has no room for ends before it begins, by name; every preset has room. */
import { expect, it } from 'vitest';
import { loadPolicy, openEngine, refuseRun, train } from '../../src/index';
import { presets } from '../../src/run/config/presets';
import { embeddedFiles } from '../export/model-folder';

it('refuses a step that is too large before anything of it is done', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles('micro') });
  const base = presets['micro-collapse'];
  const rollout = { ...base.rollout, promptsPerStep: 256, samplesPerPrompt: 256, maxNewTokens: 8192 };
  const config = { ...base, rollout, optimizer: { ...base.optimizer, microBatch: 65_536 } };
  const before = engine.memory();
  const events = [];
  for await (const event of train(engine, policy, config)) events.push(event);
  expect(events).toMatchObject([{ type: 'failed', error: { code: 'model/memory-too-small' } }]);
  expect(engine.memory()).toEqual(before);
  const gpu = { backend: 'webgpu', capabilities: { ...{ maxBufferBytes: 2 ** 28, maxBindingBytes: 2 ** 27 } } } as never; // prettier-ignore
  expect(refuseRun(gpu, policy.config, config)?.code).toBe('model/adapter-too-small');
  for (const preset of Object.values(presets)) {
    if (preset.model.kind !== 'embedded') continue;
    const { config: model } = policy;
    expect(refuseRun(engine, model, preset), preset.preset).toBeNull();
  }
  policy.dispose();
  engine.dispose();
});
