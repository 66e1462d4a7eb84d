/** Whole sampling and training steps of a small model, fused against plain tfjs ops on the same device. */
import type { Engine } from '../../src/gpu/engine';
import { buildWeights, randomSupply } from '../../src/model/build-weights';
import type { ModelConfig } from '../../src/model/config';
import type { Policy } from '../../src/model/policy';
import { createTransformerPolicy } from '../../src/model/transformer-policy';
import { withPlainTwins } from '../../src/ops/twin';
import { countCommands, measure, report, round, type Bench } from './measure';

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
  return createTransformerPolicy({
    engine,
    config: SMALL,
    weights,
    tokenizer: null,
    adapter: null,
    configJson: {},
  });
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
  await policy.update({
    learningRate: 1e-4,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  });
}

const NEW_TOKENS = 32;

async function sampleStep(policy: Policy): Promise<void> {
  const prompts = [tokensOf(0).slice(0, 16), tokensOf(1).slice(0, 16)];
  await policy.generate(prompts, {
    samplesPerPrompt: 8,
    maxNewTokens: NEW_TOKENS,
    temperature: 1,
    seed: 1,
    stopIds: [],
  });
}

export async function benchSteps(
  bench: Bench,
  engine: Engine,
  adapter: string,
  plainToo: boolean,
): Promise<void> {
  const sampled = 16 * NEW_TOKENS;
  const trained = SEQUENCES * LENGTH;
  for (const by of plainToo ? ['marble', 'plain tfjs'] : ['marble']) {
    const twin = by === 'marble' ? async (body: () => Promise<void>) => body() : withPlainTwins<void>;
    const policy = await smallPolicy(engine);
    const line = async (op: string, tokens: number, step: () => Promise<void>): Promise<void> => {
      const time = await measure(bench, () => twin(step));
      const commands = await countCommands(engine, () => twin(step));
      const rate = {
        tokensPerSecond: round((1000 * tokens) / time.ms),
        tokensPerCpuSecond: round((1000 * tokens) / time.cpuMs),
      };
      report(bench, adapter, { op, by, model: 'd128 4 layers', tokens, ...time, ...rate, ...commands });
    };
    await line('train', trained, () => trainStep(policy));
    // the plain sampler reads logits synchronously, which WebGPU cannot
    if (by === 'marble' || engine.backend !== 'webgpu')
      await line('sample', sampled, () => sampleStep(policy));
    policy.dispose();
  }
}
