/**
 * Random models of the supported architectures: odd head counts, one key/value head, heads with odd halves, tied and untied
 * heads, sizes that no tile divides, in every weight format. Each is loaded from a checkpoint, and all methods that the trainer
 * uses are compared with the reference implementations.
 */
import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import type { LoraConfig } from '../../../src/model/lora';
import type { ModelConfig } from '../../../src/model/config';
import { elementsOf, writeSafetensors } from '../../../src/model/files/safetensors';
import { expectedTensors } from '../../../src/model/files/tensor-table';
import { loadPolicy } from '../../../src/model/load-policy';
import type { Policy } from '../../../src/model/policy';
import { createRandom, type Random } from '../../../src/base/random';
import { largestDifference } from '../golden-policy';
import { configJson, continued, tinyConfig } from '../tiny';
import { sampled } from '../../fixtures/sample';

interface Drawn {
  name: string;
  config: ModelConfig;
  /** Without an adapter the weights are f32 and trained, with one bf16. */
  lora: LoraConfig | undefined;
  random: Random;
}

/** Six consecutive models cover every architecture in every weight format. policy.webgpu.test.ts tests Qwen2 in every run. */
const MODELS = sampled([1], [0, 1, 2, 3, 4, 5]);

const architectures = ['qwen2', 'qwen3', 'llama'] as const;

/** Draws a model. Six consecutive numbers cover every architecture in every weight format. */
function draw(number: number): Drawn {
  const random = createRandom(0x07e2, number);
  const architecture = architectures[number % 3];
  const lora = number % 2 === 0 ? undefined : { rank: 8, alpha: 16, seed: 3 };
  const heads = random.choice([1, 3, 5, 6, 7]);
  const groups = [1, 2, 3, heads].filter((count) => heads % count === 0);
  const config: ModelConfig = {
    ...{ ...tinyConfig, architecture, heads, maxPositions: 256 },
    attentionBias: architecture === 'qwen2',
    headNorm: architecture === 'qwen3',
    hiddenSize: random.choice([9, 14, 21, 32, 50]),
    layers: 1 + random.integer(2),
    kvHeads: random.choice(groups),
    headDim: random.choice([2, 4, 6, 10, 18]),
    intermediateSize: random.choice([19, 33, 50, 68]),
    vocabularySize: random.choice([23, 131, 257, 517, 1027]),
    ropeTheta: random.choice([1e4, 1e6]),
    tiedHead: random.uniform() < 0.5,
  };
  const { hiddenSize, kvHeads, headDim, vocabularySize } = config;
  const name = `${architecture}, ${heads}/${kvHeads} heads of ${headDim}, ${hiddenSize} wide, ${vocabularySize} tokens, ${lora ? 'bf16' : 'f32'}`;
  return { name, config, lora, random };
}

/** Random tensors of a model: norms around one, others around zero. */
function randomCheckpoint({ config, random }: Drawn): { files: Record<string, Blob> } {
  const tensors = expectedTensors(config).map((tensor) => {
    const centre = /norm\.weight$/.test(tensor.name) ? 1 : 0;
    const draw = (): number => centre + 0.3 * random.normal();
    return {
      ...tensor,
      dtype: 'F32' as const,
      data: Float32Array.from({ length: elementsOf(tensor) }, draw),
    };
  });
  return { files: { 'config.json': configJson(config), 'model.safetensors': writeSafetensors(tensors) } };
}

type Answers = Awaited<ReturnType<typeof ask>>;

async function ask(policy: Policy, seed: number) {
  const random = createRandom(seed, 99);
  const { vocabularySize } = policy.config;
  const tokens = (length: number): number[] => Array.from({ length }, () => random.integer(vocabularySize));
  // B of an adapter is zero at first, which makes the gradient of A zero.
  const state = await policy.state();
  policy.restore({ ...state, parameters: state.parameters.map((value) => value + 0.1 * random.normal()) });
  const prompts = [tokens(5), tokens(1), tokens(9)];
  const sequences = prompts.flatMap((prompt) => [
    [...prompt, ...tokens(7)],
    [...prompt, ...tokens(3)],
  ]);
  const lengths = prompts.flatMap(({ length }) => [length, length]);
  const weigh = (rows: Float32Array[], phase: number): Float32Array[] =>
    rows.map((row, index) => row.map((_, t) => Math.sin(1 + phase + index + 2 * t)));
  const statistics = await policy.backward(sequences, lengths, {
    temperature: 0.8,
    objective: ({ logprobs, entropies }) => ({
      logprobs: weigh(logprobs, 0),
      entropies: weigh(entropies, 1),
    }),
  });
  const options = { samplesPerPrompt: 2, maxNewTokens: 18, seed: 7, stopIds: [1] };
  const greedy = await policy.generate(prompts, { ...options, samplesPerPrompt: 1, temperature: 0 });
  const sampled = await policy.generate(prompts, { ...options, temperature: 0.8 });
  const whole = continued(prompts, sampled);
  const { logprobs: trained } = await policy.logprobs(whole.sequences, whole.lengths, { temperature: 0.8 });
  return {
    logits: await policy.logits(prompts),
    reference: await policy.logprobs(sequences, lengths, { adapter: 'off' }),
    statistics,
    gradients: await policy.gradients(),
    greedy: greedy.map((completion) => completion.tokens),
    sampled,
    trained, // log-probabilities of the sampled tokens by the trainer
  };
}

async function answersOn(
  backend: 'webgpu' | 'wasm',
  drawn: Drawn,
  source: { files: Record<string, Blob> },
): Promise<Answers> {
  const engine = await (backend === 'webgpu' ? openSharedEngine() : openEngine({ backend }));
  try {
    const policy = await loadPolicy(engine, source, { lora: drawn.lora });
    return await ask(policy, 17);
  } finally {
    engine.dispose();
  }
}

/** Largest difference between rows, relative to the largest expected value if that is above 1. */
function rowsApart(actual: readonly Float32Array[], expected: readonly Float32Array[]): number {
  return Math.max(
    ...expected.map((row, index) => {
      const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
      return largestDifference(actual[index], row) / largest;
    }),
  );
}

it.each(MODELS.map(draw))('agrees with wasm on WebGPU: $name', { tags: ['long'] }, async (drawn) => {
  const source = randomCheckpoint(drawn);
  const webgpu = await answersOn('webgpu', drawn, source);
  const wasm = await answersOn('wasm', drawn, source);
  expect(rowsApart(webgpu.logits, wasm.logits)).toBeLessThan(1e-4);
  for (const of of ['reference', 'statistics'] as const) {
    expect(rowsApart(webgpu[of].logprobs, wasm[of].logprobs), of).toBeLessThan(1e-4);
    expect(rowsApart(webgpu[of].entropies, wasm[of].entropies), of).toBeLessThan(1e-4);
  }
  expect(Object.keys(webgpu.gradients).sort()).toEqual(Object.keys(wasm.gradients).sort());
  for (const [name, expected] of Object.entries(wasm.gradients)) {
    const norm = Math.hypot(...expected);
    expect(norm, name).toBeGreaterThan(0);
    const difference = Math.hypot(...webgpu.gradients[name].map((value, i) => value - expected[i]));
    expect(difference / norm, name).toBeLessThan(1e-3);
  }
  expect(webgpu.greedy).toEqual(wasm.greedy);
  expect(webgpu.sampled.map(({ tokens }) => tokens)).toEqual(wasm.sampled.map(({ tokens }) => tokens));
  for (const { sampled, trained } of [webgpu, wasm]) {
    sampled.forEach(({ logprobs }, row) =>
      expect(largestDifference(logprobs, trained[row])).toBeLessThan(1e-4),
    );
  }
});
