import { describe, expect, it } from 'vitest';
import { loadPolicy, planRun, presets, refuseRun, train, type Engine, type Policy } from '../../src/index';
import { heapModule } from '../../src/gpu/wasm-heap';
import { parseModelConfig } from '../../src/model/config';
import { embeddedConfig, embeddedFiles } from '../export/model-folder';
import { engine, openEngineForAll } from '../fixtures/engine';
import { halfBillionConfig } from '../fixtures/half-billion';
import { sampled } from '../fixtures/sample';

openEngineForAll('wasm');

const small = embeddedConfig('ladder-25k');
const preset = presets['ladder-25k'];
const fewItems = { items: 8, finalItems: 8, hardItems: 0 };
const base = { ...preset, evaluation: { ...preset.evaluation, ...fewItems } };
/** The settings to lower, those with the least effect on the run first. */
const inOrder =
  /microBatch.*maxNewTokens.*samplesPerPrompt.*evaluation\.items.*training\.mode.*smaller model/;

describe('a run that does not fit into memory', () => {
  it('is refused with the settings to lower: all weights of a large model', async () => {
    const run = { ...presets['small-llms'], training: { mode: 'full' as const } };
    const refusal = await refuseRun(engine, parseModelConfig(halfBillionConfig(2)), run);
    expect(refusal?.code).toBe('model/memory-too-small');
    expect(refusal?.nextStep).toMatch(inOrder);
  });

  // Several plans of 131,072 tokens: in `npm run test:slow`.
  it.skipIf(sampled(true, false))(
    'is planned even if its link has the maximum of every setting',
    { timeout: 240_000 },
    async () => {
      const rollout = { ...base.rollout, promptsPerStep: 256, samplesPerPrompt: 256, maxNewTokens: 8192 };
      const refusal = await refuseRun(engine, { ...small, maxPositions: 16_384 }, { ...base, rollout });
      expect(refusal?.code).toBe('model/memory-too-small');
    },
  );

  it('ends before any work is done, with the settings to lower: completions that exceed a buffer', async () => {
    const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
    const before = engine.memory();
    const most = 0.7 * (await planRun(small, base, 'wasm')).largest.allocated;
    const capabilities = { maxBufferBytes: most, maxBindingBytes: most } as Engine['capabilities'];
    const events = [];
    for await (const event of train({ ...engine, capabilities }, policy, base)) events.push(event);
    const nextStep = expect.stringMatching(inOrder) as string;
    const error = { code: 'model/adapter-too-small', nextStep };
    expect(events).toMatchObject([{ type: 'failed', error }]);
    expect(engine.memory()).toEqual(before);
    policy.dispose();
  });
});

it('a run that runs out of memory despite its plan ends with the settings to lower', async () => {
  const policy: Policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  heapModule().asm.memory.grow = () => {
    throw new RangeError('The system has no more memory.');
  };
  const run = { ...base, rollout: { ...base.rollout, samplesPerPrompt: 64 } };
  const events = [];
  for await (const event of train(engine, policy, run)) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'failed',
    error: { code: 'gpu/out-of-memory', nextStep: expect.stringMatching(inOrder) as string },
  });
});
