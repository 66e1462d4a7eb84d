import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseModelConfig } from '../../../src/model/config';
import {
  planMemory,
  refusePlan,
  surveyModel,
  type MemorySettings,
} from '../../../src/model/device/memory-plan';
import { halfBillionConfig } from '../../../src/model/device/half-billion';
import { parameterCount } from '../../../src/model/files/tensor-table';
import { openSource } from '../../../src/model/source/source';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf } from '../refusal';

const qwenJson = halfBillionConfig();
const qwen = parseModelConfig(qwenJson);

describe('the memory plan of Qwen2.5-0.5B', () => {
  const settings: MemorySettings = {
    rank: 16,
    weights: 'bf16',
    prompts: 8,
    samplesPerPrompt: 1,
    promptTokens: 128,
    responseTokens: 384,
  };
  const plan = planMemory(qwen, settings);

  it('has the sizes that the shapes give', () => {
    expect(parameterCount(qwen)).toBe(494_032_768);
    expect(plan.weights / 1e6).toBeCloseTo(988.2, 0);
    expect(plan.optimiser / 1e6).toBeCloseTo(140.8, 1);
    // an evaluation of 20 rows: prompts in f32, what is sampled in bf16
    expect(plan.sampling / 1e6).toBeCloseTo(20 * (0.128 * 24.576 + 0.384 * 12.288), 1);
    expect(plan.training / 1e6).toBeGreaterThan(367 + 77.8 + 35);
    expect(plan.total).toBe(plan.weights + plan.optimiser + Math.max(plan.sampling, plan.training));
  });

  it('grows with unpacked weights, and with all that is trained', () => {
    const unpacked = planMemory(qwen, { ...settings, weights: 'f32' });
    expect(unpacked.weights / plan.weights).toBeCloseTo(2, 2);
    const full = planMemory(qwen, { ...settings, rank: null });
    expect(full.weights).toBe(4 * parameterCount(qwen));
    expect(full.optimiser).toBe(20 * parameterCount(qwen));
  });

  it('does not grow with a batch beyond what the engine takes at once', () => {
    const paper = { ...settings, samplesPerPrompt: 16, promptTokens: 666, responseTokens: 2048 };
    const twice = { ...paper, prompts: 16 };
    expect(planMemory(qwen, { ...twice, microBatch: 8 })).toEqual(
      planMemory(qwen, { ...paper, microBatch: 8 }),
    );
    const mac = { maxBufferBytes: 2 ** 30, maxBindingBytes: 2 ** 30 };
    expect(refusePlan(planMemory(qwen, twice), mac)).toBeNull();
  });

  it('is refused by name where one buffer is more than the adapter takes', () => {
    const small = { maxBufferBytes: 2 ** 28, maxBindingBytes: 2 ** 27 };
    const refusal = refusePlan(plan, small);
    expect(refusal?.code).toBe('model/adapter-too-small');
    expect(refusal?.message).toContain('embedding');
    expect(refusePlan(plan, { ...small, maxBufferBytes: 2 ** 30 })).toBeNull(); // bound in blocks
    const whole = planMemory(qwen, { ...settings, rank: null });
    expect(refusePlan(whole, { ...small, maxBufferBytes: 2 ** 40 })?.code).toBe('model/adapter-too-small');
    const enough = { maxBufferBytes: 2 ** 31, maxBindingBytes: 2 ** 30 };
    expect(refusePlan(plan, enough)).toBeNull();
    expect(refusePlan(plan, enough, 1e9)?.code).toBe('model/memory-too-small');
  });
});

describe('a survey of a repository', () => {
  let hub: HubServer;
  const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const shard = (size: number): Uint8Array => new Uint8Array(size);
  beforeAll(async () => {
    hub = await startHub({
      files: {
        'config.json': text(qwenJson),
        'tokenizer.json': text({}),
        'README.md': text('not counted'),
        'model.safetensors.index.json': text({
          weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
        }),
        'model-00001-of-00002.safetensors': shard(1000),
        'model-00002-of-00002.safetensors': shard(500),
        'other.safetensors': shard(10_000),
      },
    });
  });
  afterAll(() => hub.close());

  it('counts what loading will fetch, and fetches no byte of the weights', async () => {
    const files = await openSource(
      { hub: hub.repository, revision: hub.revision },
      { hubEndpoint: hub.endpoint, retryDelay: 1 },
    );
    const survey = await surveyModel(files);
    expect(survey.files.filter(({ weights }) => weights).map(({ size }) => size)).toEqual([1000, 500]);
    expect(survey.files.map(({ name }) => name)).not.toContain('README.md');
    const small = survey.files.filter(({ weights }) => !weights).reduce((sum, { size }) => sum + size, 0);
    expect(survey.bytes).toBe(1500 + small);
    expect(survey.parameters).toBe(494_032_768);
    expect(hub.requests.some(({ place }) => place === 'storage')).toBe(false);
  });

  it('of a model without weights is refused', async () => {
    const files = await openSource({ files: { 'config.json': new Blob([JSON.stringify(qwenJson)]) } });
    expect(await refusalOf(() => surveyModel(files))).toBe('model/no-weights');
  });
});
