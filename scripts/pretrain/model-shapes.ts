/**
 * Shapes of the models that this project pretrains: the Qwen2 layout, a word-level vocabulary, weights drawn from a
 * seed.
 */
import { buildWeights } from '../../src/model/files/build-weights';
import type { Engine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import type { Policy } from '../../src/model/policy';
import { createTokenizer } from '../../src/model/tokenizer/tokenizer';
import { createTransformerPolicy } from '../../src/model/transformer-policy';
import { END_TOKEN, PAD_TOKEN } from '../../src/tom/worlds/swap';
import { initialWeights } from './initial-weights';
import { wordLevelTokenizerJson } from './word-level-tokenizer';

export interface Shape {
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
  /** Default 512. */
  max_position_embeddings?: number;
}

/** Most are named after their number of parameters with a vocabulary of about 40 words. */
export const shapes = {
  '12k': { hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 80 },
  '25k': { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 80 },
  '100k': { hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 168 },
  '398k': { hidden_size: 128, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 336 },
  /** 350 k parameters with Hi-ToM's vocabulary; its longest stories and traces need 640 positions. */
  'hitom-mini': {
    hidden_size: 96,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    intermediate_size: 256,
    max_position_embeddings: 768,
  },
} as const satisfies Record<string, Shape>;

/**
 * Creates a model.
 *
 * @returns a policy with random weights, and the files that Hugging Face's loaders also need
 * @param marks one-character words without a preceding space, such as "." after a word
 */
export async function newModel(
  engine: Engine,
  shape: Shape,
  vocabulary: readonly string[],
  seed: number,
  marks?: readonly string[],
): Promise<{ policy: Policy; tokenizerFiles: Record<string, string> }> {
  const configJson = {
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    ...shape,
    num_key_value_heads: shape.num_attention_heads,
    vocab_size: vocabulary.length,
    rms_norm_eps: 1e-6,
    rope_theta: 10000,
    hidden_act: 'silu',
    tie_word_embeddings: true,
    max_position_embeddings: shape.max_position_embeddings ?? 512,
    torch_dtype: 'float32',
    eos_token_id: vocabulary.indexOf(END_TOKEN),
    pad_token_id: vocabulary.indexOf(PAD_TOKEN),
  };
  const tokenizerJson = wordLevelTokenizerJson(vocabulary, [PAD_TOKEN, END_TOKEN], marks);
  const tokenizerConfig = { eos_token: END_TOKEN, pad_token: PAD_TOKEN };
  const config = parseModelConfig(configJson);
  const policy = createTransformerPolicy({
    engine,
    config,
    weights: await buildWeights(config, initialWeights(config, seed)),
    tokenizer: createTokenizer(tokenizerJson, tokenizerConfig),
    adapter: null,
    configJson,
  });
  const tokenizerFiles = {
    'tokenizer.json': `${JSON.stringify(tokenizerJson, null, 1)}\n`,
    'tokenizer_config.json': `${JSON.stringify(tokenizerConfig, null, 2)}\n`,
  };
  return { policy, tokenizerFiles };
}

export function parameterCount(policy: Policy): number {
  return policy.trainable.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
}
