/** Small random models for tests: odd sizes, one or several key/value heads, tied or not, with or without an adapter. */
import type { Engine } from '../../src/gpu/engine';
import { buildWeights, randomSupply } from '../../src/model/files/build-weights';
import type { ModelConfig } from '../../src/model/config';
import { attachLora } from '../../src/model/lora';
import type { Policy } from '../../src/model/policy';
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

export async function tinyPolicy(
  engine: Engine,
  changes: Partial<ModelConfig> = {},
  lora: { rank: number; alpha: number; seed: number } | null = null,
  seed = 5,
): Promise<Policy> {
  const config = { ...tinyConfig, ...changes };
  const weights = await buildWeights(config, randomSupply(seed, 0.3));
  if (lora) attachLora(weights, config, lora);
  return createTransformerPolicy({
    engine,
    config,
    weights,
    tokenizer: null,
    adapter: lora && { ...lora, useRslora: false, baseModel: null },
    configJson: {},
  });
}
