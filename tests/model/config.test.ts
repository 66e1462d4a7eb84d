import { describe, expect, it } from 'vitest';
import { parseModelConfig, scaleFrequencies, type RopeScaling } from '../../src/model/config';
import { rotaryFrequencies } from '../../src/ops/rope';
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

const linear = { rope_type: 'linear', factor: 2 };
/** Scaling of Llama 3.2: a factor of 32 from 8,192 positions. */
const llama3 = {
  ...{ rope_type: 'llama3', factor: 32, low_freq_factor: 1, high_freq_factor: 4 },
  original_max_position_embeddings: 8192,
};
/** Theta and scaling of a configuration. */
function ropeOf(fields: object): [theta: number, scaling: RopeScaling | null] {
  const { ropeTheta, ropeScaling } = parseModelConfig({ ...qwen, rope_theta: undefined, ...fields });
  return [ropeTheta, ropeScaling];
}

describe('a model configuration', () => {
  it('distinguishes the three architectures', () => {
    const own = { headDim: 16, attentionBias: true, headNorm: false, tiedHead: true, ropeTheta: 1e6 };
    expect(parseModelConfig(qwen)).toMatchObject(own);
    expect(parseModelConfig(qwen3)).toMatchObject({ headDim: 32, attentionBias: false, headNorm: true });
    expect(parseModelConfig({ ...qwen3, head_dim: undefined })).toMatchObject({ headDim: 128 });
    const plain = { ...llama, num_key_value_heads: null, tie_word_embeddings: null, rms_norm_eps: null };
    expect(parseModelConfig({ ...plain, max_position_embeddings: null })).toMatchObject({
      ...{ kvHeads: 4, tiedHead: false, attentionBias: false, normEpsilon: 1e-6, maxPositions: 2048 },
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
    ['yarn', { ...qwen, rope_scaling: { rope_type: 'yarn', factor: 4 } }],
    ['attention_factor', { ...qwen, rope_scaling: { ...linear, attention_factor: 2 } }],
    ['partial_rotary_factor', { ...qwen, rope_scaling: { ...linear, partial_rotary_factor: 0.5 } }],
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
    ['factor', { ...qwen, rope_scaling: { type: 'linear' } }],
    ['low_freq_factor', { ...qwen, rope_scaling: { ...llama3, low_freq_factor: 4 } }],
    ['rope_scaling', { ...qwen, rope_scaling: [4] }],
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

describe('scaled rotary frequencies', () => {
  it('are unscaled if config.json has no scaling', () => {
    const [theta, scaling] = ropeOf({ rope_theta: 100, rope_scaling: { type: 'default' } });
    expect(scaling).toBeNull();
    expect([...scaleFrequencies(rotaryFrequencies(4, theta), scaling)]).toEqual([1, 0.1]);
  });

  it('are divided by the factor of a linear scaling', () => {
    const [theta, scaling] = ropeOf({ rope_scaling: { type: 'linear', factor: 4 } });
    expect(theta).toBe(10000); // the default
    expect([...scaleFrequencies(Float64Array.of(1, 0.1), scaling)]).toEqual([0.25, 0.025]);
  });

  it('keep short wavelengths in llama3, scale long ones and interpolate in between', () => {
    const [theta, scaling] = ropeOf({ rope_theta: 500000, rope_scaling: llama3 });
    const plain = rotaryFrequencies(64, theta);
    const scaled = scaleFrequencies(plain, scaling);
    // Wavelengths start at 2 pi and exceed 8192 / 4 from pair 15 on and 8192 / 1 from pair 18 on.
    const lengths = [...plain].map((frequency) => (2 * Math.PI) / frequency);
    expect([...scaled.subarray(0, 15)]).toEqual([...plain.subarray(0, 15)]);
    for (let pair = 18; pair < 32; pair++) expect(scaled[pair]).toBeCloseTo(plain[pair] / 32, 15);
    for (let pair = 15; pair < 18; pair++) {
      const smooth = (8192 / lengths[pair] - 1) / (4 - 1);
      const mixed = (1 - smooth) * (plain[pair] / 32) + smooth * plain[pair];
      expect(scaled[pair]).toBeCloseTo(mixed, 15);
    }
  });

  it('are read from the fields of transformers 5', () => {
    const parameters = { ...llama3, rope_theta: 500000, partial_rotary_factor: 1 };
    const older = { rope_theta: 500000, rope_scaling: llama3 };
    expect(ropeOf({ rope_parameters: parameters })).toEqual(ropeOf(older));
  });

  // Expected values from transformers 5.18.
  it('prefer the theta of rope_parameters and rope_scaling to that of the top level', () => {
    const inside = { rope_type: 'default', rope_theta: 2 };
    expect(ropeOf({ rope_theta: 1, rope_parameters: inside })[0]).toBe(2);
    expect(ropeOf({ rope_theta: 1, rope_scaling: { ...linear, rope_theta: 3 } })[0]).toBe(3);
  });

  it('are read if old and new names agree, and rejected if they contradict each other', () => {
    const both = { rope_theta: 7, rope_scaling: linear, rope_parameters: { ...linear, rope_theta: 7 } };
    expect(ropeOf(both)).toEqual([7, { kind: 'linear', factor: 2 }]);
    expect(ropeOf({ ...both, rope_scaling: null })).toEqual([7, { kind: 'linear', factor: 2 }]);
    for (const other of [
      { ...linear, factor: 4 },
      { ...linear, rope_theta: 5 },
      { rope_type: 'default', rope_theta: 7 },
    ]) {
      expect(() => ropeOf({ ...both, rope_parameters: other })).toThrow('rope_scaling and rope_parameters');
    }
  });
});
