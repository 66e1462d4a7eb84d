/** Whole sampling and training steps of a small model, and the first steps of a run as the trainer itself times them. */
import * as tf from '@tensorflow/tfjs-core';
import { modelFiles } from '../scripts/pretrain/model-files';
import { loadPolicy, presets, train, type Engine } from '../src/index';
import { buildWeights, randomSupply } from '../src/model/files/build-weights';
import type { ModelConfig } from '../src/model/config';
import type { Policy } from '../src/model/policy';
import { createTransformerPolicy } from '../src/model/transformer-policy';
import { adamW } from '../tests/model/tiny';
import { measureWithCommands, report, round, type Bench } from './measure';

/** 0.92 M parameters. */
const SMALL: ModelConfig = {
  architecture: 'qwen2',
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 4,
  headDim: 32,
  intermediateSize: 384,
  vocabularySize: 512,
  normEpsilon: 1e-6,
  ropeTheta: 10000,
  ropeScaling: null,
  attentionBias: true,
  headNorm: false,
  tiedHead: true,
  maxPositions: 512,
  eosTokenIds: [0],
};

const SEQUENCES = 4;
const LENGTH = 64;
const PROMPT = 8;

async function smallPolicy(engine: Engine): Promise<Policy> {
  const weights = await buildWeights(SMALL, randomSupply(1, 0.05));
  const options = { engine, config: SMALL, weights, tokenizer: null, adapter: null, configJson: {} };
  return createTransformerPolicy(options);
}

const tokensOf = (row: number): number[] =>
  Array.from({ length: LENGTH }, (_, i) => 1 + ((i * 37 + row * 101) % 511));

async function trainStep(policy: Policy): Promise<void> {
  const sequences = Array.from({ length: SEQUENCES }, (_, row) => tokensOf(row));
  await policy.backward(
    sequences,
    sequences.map(() => PROMPT),
    { objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => -1 / 256)) }) },
  );
  await policy.update(adamW(1e-4));
}

const SAMPLES = 8;
const prompts = [tokensOf(0).slice(0, 16), tokensOf(1).slice(0, 16)];

async function sampleStep(policy: Policy, maxNewTokens: number): Promise<void> {
  const options = { samplesPerPrompt: SAMPLES, temperature: 1, seed: 1, stopIds: [] };
  await policy.generate(prompts, { ...options, maxNewTokens });
}

export async function benchSteps(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const newTokens = bench.quick ? 8 : 32;
  const sampled = prompts.length * SAMPLES * newTokens;
  const trained = SEQUENCES * LENGTH;
  const policy = await smallPolicy(engine);
  const line = async (
    op: string,
    { tokens, steps, flopsPerToken }: { tokens: number; steps: number; flopsPerToken: number },
    run: () => Promise<unknown>,
  ): Promise<void> => {
    const { ms, cpuMs, dispatches, readbacks, boundMegabytes } = await measureWithCommands(
      bench,
      engine,
      run,
    );
    report(bench, adapter, {
      op,
      by: 'marble',
      model: 'd128 4 layers',
      tokens,
      ms,
      cpuMs,
      tokensPerSecond: round((1000 * tokens) / ms),
      tokensPerCpuSecond: round((1000 * tokens) / cpuMs),
      gflops: round((1e-6 * tokens * flopsPerToken) / ms),
      gbPerSecond: round(boundMegabytes / ms),
      dispatchesPerStep: round(dispatches / steps),
      boundMegabytesPerStep: round(boundMegabytes / steps),
      readbacks,
    });
  };
  // products by the weights alone; training multiplies forward, once more in the recompute, and twice on the way back
  const forward = 2 * policy.trainable.reduce((sum, { shape }) => sum + tf.util.sizeFromShape([...shape]), 0);
  const training = { tokens: trained, steps: 1, flopsPerToken: 4 * forward };
  const sampling = { tokens: sampled, steps: newTokens, flopsPerToken: forward };
  await line('train', training, () => trainStep(policy));
  await line('sample', sampling, () => sampleStep(policy, newTokens));
  policy.dispose();
}

/** The first step compiles shaders and fills pools. */
const WARM_UP = 1;

export async function benchRun(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const policy = await loadPolicy(engine, { files: await modelFiles('public/models/ladder-25k') });
  const preset = presets['ladder-25k'];
  const steps = WARM_UP + (bench.quick ? 1 : 3);
  const config = {
    ...preset,
    steps,
    evaluation: { ...preset.evaluation, every: steps, items: 8, finalItems: 8 },
    checkpointEvery: steps,
  };
  for await (const event of train(engine, policy, config)) {
    if (event.type !== 'step' || event.record.step <= WARM_UP) continue;
    const { record } = event;
    report(bench, adapter, {
      op: 'run',
      by: 'marble',
      model: 'ladder-25k',
      step: record.step,
      seconds: round(record.step_time),
      rollout: round(record['time/rollout']),
      reward: round(record['time/reward']),
      reference: round(record['time/reference']),
      update: round(record['time/update']),
      sampledTokensPerSecond: round(record['tokens_per_second/rollout']),
      trainedTokensPerSecond: round(record['tokens_per_second/train']),
      meanLength: round(record['completions/mean_length']),
    });
  }
  policy.dispose();
}
