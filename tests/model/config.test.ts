import { describe, expect, it } from 'vitest';
import { parseModelConfig } from '../../src/model/config';
import { refusal } from './refusal';

const qwen = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 128,
  vocab_size: 320,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  hidden_act: 'silu',
  tie_word_embeddings: true,
  max_position_embeddings: 2048,
  eos_token_id: [1, 2],
};
const llama = { ...qwen, model_type: 'llama', architectures: ['LlamaForCausalLM'] };
const qwen3 = { ...qwen, model_type: 'qwen3', architectures: ['Qwen3ForCausalLM'], head_dim: 32 };

describe('a model configuration', () => {
  it('distinguishes the three architectures', () => {
    const own = { headDim: 16, attentionBias: true, headNorm: false, tiedHead: true, ropeTheta: 1e6 };
    expect(parseModelConfig(qwen)).toMatchObject(own);
    expect(parseModelConfig(qwen3)).toMatchObject({ headDim: 32, attentionBias: false, headNorm: true });
    expect(parseModelConfig({ ...qwen3, head_dim: undefined })).toMatchObject({ headDim: 128 });
    const plain = { ...llama, num_key_value_heads: null, tie_word_embeddings: null, rms_norm_eps: null };
    expect(parseModelConfig(plain)).toMatchObject({
      ...{ kvHeads: 4, tiedHead: false, attentionBias: false, normEpsilon: 1e-6 },
    });
  });

  it('prefers the newer settings: layer_types, and eos_token_id of generation_config.json', () => {
    const windowed = { use_sliding_window: true, sliding_window: 128, max_window_layers: 1 };
    const types = { layer_types: ['full_attention', 'full_attention'] };
    expect(parseModelConfig({ ...qwen, ...windowed, ...types })).toEqual(parseModelConfig(qwen));
    expect(parseModelConfig(qwen, { eos_token_id: 7 }).eosTokenIds).toEqual([7]);
    expect(parseModelConfig(qwen, { eos_token_id: null }).eosTokenIds).toEqual([1, 2]);
    const beyond = () => parseModelConfig(qwen, { eos_token_id: 320 });
    expect(beyond).toThrow(refusal('model/config-value', 'eos_token_id 320 of generation_config.json'));
  });

  it('ignores fields that no implementation reads, and neutral values of others', () => {
    const neutral = {
      ...{ torch_dtype: 'bfloat16', is_llama_config: true, pretraining_tp: 1 },
      ...{ attention_bias: false, mlp_bias: false, rope_interleaved: false, use_mrope: false },
      ...{ rope_scaling: null, quantization_config: null, sliding_window: null, attention_dropout: 0 },
      'a field of next year': { with: ['any', 'value'] },
    };
    for (const json of [qwen, qwen3, llama])
      expect(parseModelConfig({ ...json, ...neutral })).toEqual(parseModelConfig(json));
    const unused = { use_sliding_window: false, sliding_window: 128, max_window_layers: 1 };
    expect(parseModelConfig({ ...qwen, ...unused })).toEqual(parseModelConfig(qwen));
  });

  it.each([
    ['hidden_act', { ...qwen, hidden_act: 'gelu' }],
    ['use_sliding_window', { ...qwen, use_sliding_window: true, sliding_window: 128, max_window_layers: 1 }],
    ['sliding_window', { ...llama, sliding_window: 128 }],
    ['layer_types', { ...qwen3, layer_types: ['full_attention', 'sliding_attention'] }],
    ['attention_bias', { ...llama, attention_bias: true }],
    ['partial_rotary_factor', { ...llama, partial_rotary_factor: 0.5 }],
    ['quantization_config', { ...qwen, quantization_config: { bits: 4 } }],
  ])('rejects %s by its name if it changes the arithmetic', (name, config) => {
    expect(() => parseModelConfig(config)).toThrow(refusal('model/config-unsupported', name));
  });

  it.each([
    ['hidden_size', { ...qwen, hidden_size: 0 }],
    ['num_hidden_layers', { ...qwen, num_hidden_layers: 1e9 }],
    ['intermediate_size', { ...qwen, intermediate_size: 1.5 }],
    ['vocab_size', { ...qwen, vocab_size: '320' }],
    ['num_key_value_heads', { ...qwen, num_key_value_heads: 3 }],
    ['num_key_value_heads', { ...qwen, num_key_value_heads: undefined }],
    ['head_dim', { ...qwen, hidden_size: 66 }],
    ['head_dim', { ...qwen, head_dim: 7 }],
    ['rms_norm_eps', { ...qwen, rms_norm_eps: -1 }],
    ['rope_theta', { ...qwen, rope_theta: 'large' }],
    ['tie_word_embeddings', { ...qwen, tie_word_embeddings: 1 }],
    ['eos_token_id 320 is', { ...qwen, eos_token_id: 320 }],
  ])('rejects an invalid %s', (name, config) => {
    expect(() => parseModelConfig(config)).toThrow(refusal('model/config-value', name));
  });

  it('rejects other architectures and values that are not objects', () => {
    for (const other of [{ model_type: 'mixtral' }, { architectures: ['Qwen2ForSequenceClassification'] }]) {
      const words = refusal('model/config-architecture', String(Object.values(other)));
      expect(() => parseModelConfig({ ...qwen, ...other })).toThrow(words);
    }
    for (const json of [null, 3, 'qwen2', [qwen]])
      expect(() => parseModelConfig(json)).toThrow(refusal('model/config-value'));
  });
});
