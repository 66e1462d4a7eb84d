/** Small random models for tests: odd sizes, one or several key/value heads, tied or untied, with or without an adapter. */
import type { Engine } from '../../src/gpu/engine';
import { buildWeights, type TensorSupply } from '../../src/model/files/build-weights';
import { randomSupply } from './random-supply';
import type { ModelConfig } from '../../src/model/config';
import { attachLora, newAdapter, type LoraConfig } from '../../src/model/lora';
import type {
  AdamWOptions,
  Completion,
  Policy,
  TokenGradients,
  TokenStatistics,
} from '../../src/model/policy';
import type { Tokenizer } from '../../src/model/tokenizer/tokenizer';
import { createTransformerPolicy } from '../../src/model/transformer-policy';

export const tinyConfig: ModelConfig = {
  architecture: 'qwen2',
  hiddenSize: 12,
  layers: 2,
  heads: 3,
  kvHeads: 1,
  headDim: 4,
  intermediateSize: 19,
  vocabularySize: 23,
  normEpsilon: 1e-6,
  ropeTheta: 10000,
  ropeScaling: null,
  attentionBias: true,
  headNorm: false,
  tiedHead: true,
  maxPositions: 128,
  eosTokenIds: [1],
};

/** The `config.json` of a model of these sizes. */
export function configJson(config: ModelConfig): Record<string, unknown> {
  const names = { qwen2: 'Qwen2', qwen3: 'Qwen3', llama: 'Llama' };
  return {
    architectures: [`${names[config.architecture]}ForCausalLM`],
    model_type: config.architecture,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.intermediateSize,
    vocab_size: config.vocabularySize,
    rms_norm_eps: config.normEpsilon,
    rope_theta: config.ropeTheta,
    tie_word_embeddings: config.tiedHead,
    max_position_embeddings: config.maxPositions,
    eos_token_id: config.eosTokenIds,
  };
}

/** @property without names of the projections that have no adapter */
export type TinyAdapter = LoraConfig & { without?: RegExp };

/** Creates a policy with the weights of a supply. */
export async function policyOf(
  engine: Engine,
  config: ModelConfig,
  supply: TensorSupply,
  lora: TinyAdapter | null = null,
  tokenizer: Tokenizer | null = null,
): Promise<Policy> {
  const weights = await buildWeights(config, supply);
  if (lora) {
    const start = newAdapter(lora);
    await attachLora(weights, config, { rank: lora.rank, scale: lora.alpha / lora.rank }, (name, place) =>
      lora.without?.test(name) ? Promise.resolve(null) : start(name, place),
    );
  }
  const adapter = lora && { ...lora, useRslora: false, baseModel: null };
  return createTransformerPolicy({ engine, config, weights, tokenizer, adapter, configJson: {} });
}

export const tinyPolicy = (
  engine: Engine,
  changes: Partial<ModelConfig> = {},
  lora: TinyAdapter | null = null,
): Promise<Policy> => policyOf(engine, { ...tinyConfig, ...changes }, randomSupply(5, 0.3), lora);

/** Sequences of prompt and completion, and the lengths of their prompts. */
export function continued(prompts: readonly number[][], completions: readonly Completion[]) {
  const samples = completions.length / prompts.length;
  const prompted = completions.map((_, row) => prompts[Math.floor(row / samples)]);
  return {
    sequences: completions.map(({ tokens }, row) => [...prompted[row], ...tokens]),
    lengths: prompted.map(({ length }) => length),
  };
}

/** Settings of an update. */
export const adamW = (learningRate: number): AdamWOptions => ({
  ...{ learningRate, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
});

/** A loss with equal gradients for all tokens. */
export const pulling = (by: number) => ({
  objective: ({ logprobs }: TokenStatistics): TokenGradients => ({
    logprobs: logprobs.map((row) => row.map(() => by)),
  }),
});
