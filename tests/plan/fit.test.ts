import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  loadPolicy,
  planRun,
  presets,
  refuseRun,
  train,
  type Engine,
  type Policy,
  type RunConfig,
} from '../../src/index';
import { heapModule } from '../../src/gpu/wasm-heap';
import { parseModelConfig } from '../../src/model/config';
import { checkRunConfig } from '../../src/run/config/check-config';
import { embeddedFiles } from '../export/model-folder';
import { engine, openEngineForAll } from '../fixtures/engine';
import { halfBillionConfig } from '../fixtures/half-billion';
import { sampled } from '../fixtures/sample';

openEngineForAll('wasm');

const small = parseModelConfig(JSON.parse(readFileSync('public/models/ladder-25k/config.json', 'utf8')));
const preset = presets['ladder-25k'];
const fewItems = { items: 8, finalItems: 8, hardItems: 0, validationItems: 0 };
const base = { ...preset, evaluation: { ...preset.evaluation, ...fewItems } };

describe('a run that does not fit into memory', () => {
  it('is refused with the setting to lower: an adapter instead of all weights', async () => {
    const run = { ...presets['small-llms'], training: { mode: 'full' as const } };
    const few = {
      ...run,
      rollout: { ...run.rollout, promptsPerStep: 2, samplesPerPrompt: 2, maxNewTokens: 32 },
      optimizer: { ...run.optimizer, microBatch: 1 },
      evaluation: { ...run.evaluation, ...fewItems, items: 4, taskItems: 0 },
    };
    const refusal = await refuseRun(engine, parseModelConfig(halfBillionConfig(2)), few);
    expect(refusal?.code).toBe('model/memory-too-small');
    expect(refusal?.nextStep).toMatch(/^Set training\.mode to lora instead of full: /);
  });

  it('is refused with the setting to lower: completions that exceed a buffer', async () => {
    const { largest } = await planRun(small, base, 'wasm');
    const most = 0.7 * largest.allocated;
    const capabilities = { maxBufferBytes: most, maxBindingBytes: most } as Engine['capabilities'];
    const refusal = await refuseRun({ ...engine, capabilities }, small, base);
    expect(refusal?.code).toBe('model/adapter-too-small');
    expect(refusal?.nextStep).toMatch(/^Set (optimizer\.microBatch|rollout\.\w+) to \d+ instead of \d+: /);
  });

  it.each<[string, Partial<RunConfig['evaluation']>]>([
    ['the hard ones', { items: 16, finalItems: 16, hardItems: 60 }],
    ['those of the validation set', { items: 4, finalItems: 4, validationItems: 60 }],
    ['those of other tasks', { items: 4, finalItems: 4, taskItems: 32 }],
  ])('is refused with the setting to lower: fewer questions, %s', async (_, asked) => {
    const few = { promptsPerStep: 1, samplesPerPrompt: 2, maxNewTokens: 16 };
    const evaluation = { ...base.evaluation, ...asked };
    const run = { ...base, rollout: { ...base.rollout, ...few }, evaluation };
    const atMost = (most: number, names: readonly string[]): RunConfig => {
      const lowered = Object.entries(evaluation).map(([name, count]) => [
        name,
        names.includes(name) ? Math.min(count as number, most) : count,
      ]);
      return checkRunConfig({ ...run, evaluation: Object.fromEntries(lowered) as unknown });
    };
    const fewest = Math.floor(Math.max(...Object.values(asked as Record<string, number>)) / 8);
    const { largest } = await planRun(small, atMost(fewest, Object.keys(asked)), 'wasm');
    const most = largest.allocated;
    const capabilities = { maxBufferBytes: most, maxBindingBytes: most } as Engine['capabilities'];
    const refusal = await refuseRun({ ...engine, capabilities }, small, run);
    expect(refusal!.nextStep).toMatch(/^Set .+ to at most \d+ instead of \d+: /);
    const [, paths, to] = /^Set (.+) to at most (\d+)/.exec(refusal!.nextStep)!;
    const names = paths.split(/, | and /).map((path) => path.replace('evaluation.', ''));
    expect(await refuseRun({ ...engine, capabilities }, small, atMost(Number(to), names))).toBeNull();
    const onlyItems = atMost(Number(to), ['items']);
    expect(await refuseRun({ ...engine, capabilities }, small, onlyItems)).not.toBeNull();
  });

  it('is refused without a setting if none helps', async () => {
    const capabilities = { maxBufferBytes: 1000, maxBindingBytes: 1000 } as Engine['capabilities'];
    const refusal = await refuseRun({ ...engine, capabilities }, small, base);
    expect(refusal?.nextStep).toMatch(/choose a smaller model/);
  });

  // Several plans of 131,072 tokens: in `npm run test:slow`.
  it.skipIf(sampled(true, false))(
    'is planned even if its link has the maximum of every setting',
    { timeout: 240_000 },
    async () => {
      const rollout = { ...base.rollout, promptsPerStep: 256, samplesPerPrompt: 256, maxNewTokens: 8192 };
      const refusal = await refuseRun(engine, { ...small, maxPositions: 16_384 }, { ...base, rollout });
      expect(refusal?.nextStep).toMatch(/^(Set [\w.]+ to|No single setting)/);
    },
  );

  it('ends before any work is done', async () => {
    const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
    const before = engine.memory();
    const capabilities = { maxBufferBytes: 1000, maxBindingBytes: 1000 } as Engine['capabilities'];
    const events = [];
    for await (const event of train({ ...engine, capabilities }, policy, base)) events.push(event);
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'model/adapter-too-small' } }]);
    expect(engine.memory()).toEqual(before);
    policy.dispose();
  });

  it('is never a preset with an embedded model', async () => {
    const all = ['ladder-12k', 'ladder-398k', 'hitom-mini', 'swap-sft-answers'];
    for (const preset of sampled(['ladder-398k'], all)) {
      const { model } = presets[preset];
      const name = model.kind === 'embedded' ? model.name : '';
      const config = parseModelConfig(JSON.parse(readFileSync(`public/models/${name}/config.json`, 'utf8')));
      expect(await refuseRun(engine, config, presets[preset]), preset).toBeNull();
    }
  });
});

it('a run that runs out of memory despite its plan ends with the setting to lower', async () => {
  const policy: Policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  heapModule().asm.memory.grow = () => {
    throw new RangeError('The system has no more memory.');
  };
  const run = { ...base, rollout: { ...base.rollout, samplesPerPrompt: 64 } };
  const events = [];
  for await (const event of train(engine, policy, run)) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'failed',
    error: {
      code: 'gpu/out-of-memory',
      nextStep: expect.stringMatching(/^Set [\w.]+ to \d+ instead of \d+/) as string,
    },
  });
});
