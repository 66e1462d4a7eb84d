/**
 * How many pipelines a run has the GPU compile, and on the software adapter at what CPU time. What a graphics card is asked
 * to compile is counted on any adapter, by the traits that choose its tiles, and not compiled. Nothing is run.
 *
 *   default run   its model, questions and lengths: an evaluation and a step
 *   0.5B plan     8 sequences of 512 tokens by LoRA, rank 16, weights in bf16: an evaluation and a step
 *
 * Then what sampling takes beyond that as fewer and fewer rows are left.
 */
import { loadavg } from 'node:os';
import * as tf from '@tensorflow/tfjs-core';
import type { AdapterTraits } from '../src/gpu/capabilities';
import { adapterTraits } from '../src/ops/matmul';
import { attachLora } from '../src/model/lora';
import { buildWeights } from '../src/model/files/build-weights';
import { parseModelConfig } from '../src/model/config';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { createTransformerPolicy } from '../src/model/transformer-policy';
import { loadPolicy, openEngine, presets, type Engine, type Policy } from '../src/index';
import { unwritten } from '../tests/fixtures/webgpu/unsent';
import { report, round, type Bench } from './measure';

/** What the rules for tiles ask of a graphics card. */
export const CARD: Partial<AdapterTraits> = {
  isSoftware: false,
  maxWorkgroupBytes: 32768,
  maxInvocations: 1024,
};

/** Lengths of a run's sequences; where they differ from row to row, so do they here. */
interface Shape {
  evaluationRows: number;
  prompts: number;
  samples: number;
  promptTokens: number;
  responseTokens: number;
}

/** Names of the pipelines that were asked for, in their order; those of tfjs end in `Program`. */
type Asked = string[];

/** Pipelines are written down from here on, and made only where that is to be timed. */
function writeDown(makes: boolean): Asked {
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const asked: Asked = [];
  const compile = device.createComputePipeline.bind(device);
  const make = device.createComputePipelineAsync.bind(device);
  device.createComputePipeline = (descriptor) => {
    asked.push(descriptor.label ?? '');
    return compile(descriptor); // what is checked at load runs
  };
  device.createComputePipelineAsync = (descriptor) => {
    asked.push(descriptor.label ?? '');
    return makes ? make(descriptor) : Promise.resolve({} as GPUComputePipeline);
  };
  return asked;
}

const quiet = (): Promise<void> => Promise.resolve();

/** Sampling of that many prompts, up to its first readback. */
async function sample(
  policy: Policy,
  prompts: number[][],
  samples: number,
  temperature: number,
): Promise<void> {
  const options = { samplesPerPrompt: samples, temperature, seed: 1, stopIds: [0] };
  await policy.generate(prompts, { ...options, maxNewTokens: 17 });
}

/** A run's first evaluation and step. */
export async function firstStep(policy: Policy, shape: Shape): Promise<void> {
  const { evaluationRows, prompts, samples, promptTokens, responseTokens } = shape;
  const tokens = (count: number, row: number): number[] =>
    Array.from({ length: count }, (_, i) => 1 + ((i + row) % 9));
  const promptsOf = (count: number): number[][] =>
    Array.from({ length: count }, (_, row) => tokens(promptTokens - (row % 4), row));
  const answered = (given: number[][]): number[][] =>
    given.map((prompt, row) => [...prompt, ...tokens(responseTokens - (row % 3), row)]);
  const lengths = (given: number[][]): number[] => given.map(({ length }) => length);
  const evaluated = promptsOf(evaluationRows);
  for (const temperature of [0, 1]) await sample(policy, evaluated, 1, temperature);
  await policy.logprobs(answered(evaluated), lengths(evaluated));
  const trained = promptsOf(prompts);
  await sample(policy, trained, samples, 1);
  const rows = trained.flatMap((prompt) => new Array<number[]>(samples).fill(prompt));
  await policy.logprobs(answered(rows), lengths(rows), { adapter: 'off' });
  await policy.backward(answered(rows), lengths(rows), {
    objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => 1)) }),
  });
}

/** Sampling as its rows end. */
async function fewerRows(policy: Policy, { promptTokens, prompts, samples }: Shape): Promise<void> {
  const prompt = new Array<number>(promptTokens).fill(1);
  for (let rows = prompts * samples - 1; rows > 0; rows = rows > 24 ? rows - 8 : rows - 1) {
    await sample(policy, [prompt], rows, 1);
    await sample(policy, new Array<number[]>(rows).fill(prompt), 1, 0);
  }
}

async function count(
  bench: Bench,
  run: string,
  kind: 'software adapter' | 'graphics card',
  open: (engine: Engine) => Promise<{ policy: Policy; shape: Shape }>,
): Promise<void> {
  const engine = await openEngine({ backend: 'webgpu' });
  const isCard = kind === 'graphics card';
  if (isCard) Object.assign(adapterTraits(), CARD);
  const asked = writeDown(!isCard);
  const { policy, shape } = await open(engine);
  const cpu = await bench.place.cpuMs();
  await policy.compileAhead!((dry) => firstStep(dry, shape), quiet);
  const untilFirstStep = asked.length;
  const firstSeconds = ((await bench.place.cpuMs()) - cpu) / 1000;
  await policy.compileAhead!((dry) => fewerRows(dry, shape), quiet);
  const allSeconds = ((await bench.place.cpuMs()) - cpu) / 1000;
  report(bench, engine.capabilities!.adapterName, {
    op: 'pipelines',
    by: 'marble',
    run,
    kind,
    untilFirstStep,
    asRowsEnd: asked.length - untilFirstStep,
    products: asked.filter((name) => /^(matmul|few rows)/.test(name)).length,
    samplingHeads: asked.filter((name) => name.startsWith('sample head')).length,
    tfjs: asked.filter((name) => /Program$/.test(name)).length,
    ...(isCard ? {} : { cpuSecondsUntilFirstStep: round(firstSeconds), cpuSecondsOfAll: round(allSeconds) }),
    load: loadavg()[0],
  });
  policy.dispose();
  engine.dispose();
}

async function defaultRun(bench: Bench, engine: Engine): Promise<{ policy: Policy; shape: Shape }> {
  const preset = presets['swap-shortcut'];
  if (preset.model.kind !== 'embedded')
    throw new Error('The model of the default run is not in the project.');
  const policy = await loadPolicy(engine, await bench.place.model(`public/models/${preset.model.name}`));
  const { promptsPerStep, samplesPerPrompt } = preset.rollout;
  return {
    policy,
    shape: {
      evaluationRows: 64,
      prompts: promptsPerStep,
      samples: samplesPerPrompt,
      promptTokens: 45,
      responseTokens: 30,
    },
  };
}

/** 8 sequences of 512 tokens by LoRA, of a model of that config.json. */
export async function largePlan(
  engine: Engine,
  configJson: Record<string, unknown>,
): Promise<{ policy: Policy; shape: Shape }> {
  const config = parseModelConfig(configJson);
  const weights = await buildWeights(config, unwritten);
  const adapter = { rank: 16, alpha: 32, useRslora: false, baseModel: null };
  attachLora(weights, config, adapter);
  const policy = createTransformerPolicy({
    engine,
    config,
    weights,
    tokenizer: null,
    adapter,
    configJson: {},
  });
  const shape = { prompts: 2, samples: 4, promptTokens: 128, responseTokens: 384 };
  return { policy, shape: { evaluationRows: 64, ...shape } };
}

export async function benchPipelines(bench: Bench): Promise<void> {
  for (const kind of ['software adapter', 'graphics card'] as const) {
    await count(bench, 'default', kind, (engine) => defaultRun(bench, engine));
    await count(bench, '0.5B plan', kind, (engine) => largePlan(engine, halfBillionConfig()));
  }
}
