/** The `config.json` files of common models, copied from their repositories. */
import { expect, it } from 'vitest';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';

const common = { attention_dropout: 0.0, hidden_act: 'silu', torch_dtype: 'bfloat16', use_cache: true };
const llama = { ...common, architectures: ['LlamaForCausalLM'], model_type: 'llama', attention_bias: false };
const qwen2 = { ...common, architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2' };

const models: Record<string, { json: Record<string, unknown>; read: Partial<ModelConfig> }> = {
  'HuggingFaceTB/SmolLM2-135M-Instruct': {
    json: {
      ...{ ...llama, bos_token_id: 1, eos_token_id: 2, pad_token_id: 2, hidden_size: 576 },
      ...{ initializer_range: 0.041666666666666664, intermediate_size: 1536, is_llama_config: true },
      ...{ max_position_embeddings: 8192, mlp_bias: false, num_attention_heads: 9, num_hidden_layers: 30 },
      ...{ num_key_value_heads: 3, pretraining_tp: 1, rms_norm_eps: 1e-5, rope_interleaved: false },
      ...{ rope_scaling: null, rope_theta: 100000, tie_word_embeddings: true, vocab_size: 49152 },
      ...{
        transformers_version: '4.42.3',
        'transformers.js_config': { kv_cache_dtype: { q4f16: 'float16' } },
      },
    },
    read: { headDim: 64, kvHeads: 3, ropeTheta: 100000, tiedHead: true },
  },
  'Qwen/Qwen2.5-0.5B-Instruct': {
    json: {
      ...{ ...qwen2, bos_token_id: 151643, eos_token_id: 151645, hidden_size: 896, initializer_range: 0.02 },
      ...{ intermediate_size: 4864, max_position_embeddings: 32768, max_window_layers: 21 },
      ...{ num_attention_heads: 14, num_hidden_layers: 24, num_key_value_heads: 2, rms_norm_eps: 1e-6 },
      ...{ rope_theta: 1000000, sliding_window: 32768, tie_word_embeddings: true, vocab_size: 151936 },
      ...{ transformers_version: '4.43.1', use_sliding_window: false },
    },
    read: { headDim: 64, attentionBias: true, eosTokenIds: [151645] },
  },
  'Qwen/Qwen3-0.6B': {
    json: {
      ...{ ...common, architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3', attention_bias: false },
      ...{ bos_token_id: 151643, eos_token_id: 151645, head_dim: 128, hidden_size: 1024 },
      ...{ initializer_range: 0.02, intermediate_size: 3072, max_position_embeddings: 40960 },
      ...{ max_window_layers: 28, num_attention_heads: 16, num_hidden_layers: 28, num_key_value_heads: 8 },
      ...{ rms_norm_eps: 1e-6, rope_scaling: null, rope_theta: 1000000, sliding_window: null },
      ...{ tie_word_embeddings: true, transformers_version: '4.51.0', use_sliding_window: false },
      ...{ vocab_size: 151936 },
    },
    read: { headDim: 128, headNorm: true },
  },
  'meta-llama/Llama-3.2-1B-Instruct': {
    json: {
      ...{ ...llama, bos_token_id: 128000, eos_token_id: [128001, 128008, 128009], head_dim: 64 },
      ...{ hidden_size: 2048, initializer_range: 0.02, intermediate_size: 8192, mlp_bias: false },
      ...{ max_position_embeddings: 131072, num_attention_heads: 32, num_hidden_layers: 16 },
      ...{ num_key_value_heads: 8, pretraining_tp: 1, rms_norm_eps: 1e-5, rope_theta: 500000 },
      rope_scaling: {
        ...{ factor: 32, high_freq_factor: 4, low_freq_factor: 1 },
        ...{ original_max_position_embeddings: 8192, rope_type: 'llama3' },
      },
      ...{ tie_word_embeddings: true, transformers_version: '4.45.0.dev0', vocab_size: 128256 },
    },
    read: { eosTokenIds: [128001, 128008, 128009], kvHeads: 8 },
  },
  'TinyLlama/TinyLlama-1.1B-Chat-v1.0': {
    json: {
      ...{ ...llama, bos_token_id: 1, eos_token_id: 2, hidden_size: 2048, initializer_range: 0.02 },
      ...{ intermediate_size: 5632, max_position_embeddings: 2048, num_attention_heads: 32 },
      ...{ num_hidden_layers: 22, num_key_value_heads: 4, pretraining_tp: 1, rms_norm_eps: 1e-5 },
      ...{ rope_scaling: null, rope_theta: 10000, tie_word_embeddings: false, vocab_size: 32000 },
      transformers_version: '4.35.0',
    },
    read: { tiedHead: false, headDim: 64 },
  },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B': {
    json: {
      ...{ ...qwen2, bos_token_id: 151643, eos_token_id: 151643, hidden_size: 1536, initializer_range: 0.02 },
      ...{ intermediate_size: 8960, max_position_embeddings: 131072, max_window_layers: 21 },
      ...{ num_attention_heads: 12, num_hidden_layers: 28, num_key_value_heads: 2, rms_norm_eps: 1e-6 },
      ...{ rope_theta: 10000, sliding_window: 4096, tie_word_embeddings: false, use_mrope: false },
      ...{ transformers_version: '4.44.0', use_sliding_window: false, vocab_size: 151936 },
    },
    read: { tiedHead: false, ropeTheta: 10000 },
  },
};

it.each(Object.entries(models))('the configuration of %s loads', (_, { json, read }) => {
  expect(parseModelConfig(json)).toMatchObject(read);
});

it('fields that no implementation reads have no effect', () => {
  const { json } = models['HuggingFaceTB/SmolLM2-135M-Instruct'];
  const bookkeeping = {
    auto_map: { AutoModelForCausalLM: 'modeling_llama.LlamaForCausalLM' },
    neftune_noise_alpha: 5,
    max_sequence_length: 2048,
    dtype: 'float32',
    ...{ hidden_dropout: 0, residual_dropout: 0, resid_pdrop: 0, embd_pdrop: 0, attn_pdrop: 0 },
    ...{ _name_or_path: 'x', pad_token_id: null, quantization_config: null, use_mrope: false },
    ...{ attention_dropout: 0, layer_norm_eps: 1e-5, model_max_length: 8192, rope_interleaved: null },
    'a field of next year': { with: ['any', 'value'] },
  };
  expect(parseModelConfig({ ...json, ...bookkeeping })).toEqual(parseModelConfig(json));
});
