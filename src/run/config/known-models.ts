/**
 * What config.json says of the Hub's models that presets name, at their commits. A run of one is planned by it before any
 * server is contacted. `tests/run/config/known-models.test.ts` compares it with the file itself.
 */
import type { ModelChoice } from './config';
import { presets } from './presets';

/** `Qwen/Qwen2.5-0.5B-Instruct`. */
const qwenHalfBillion = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  bos_token_id: 151643,
  eos_token_id: 151645,
  hidden_act: 'silu',
  hidden_size: 896,
  intermediate_size: 4864,
  max_position_embeddings: 32768,
  max_window_layers: 21,
  num_attention_heads: 14,
  num_hidden_layers: 24,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  sliding_window: 32768,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
};

/** @returns null for a model whose config.json must be read */
export function knownModelConfig(model: ModelChoice): Record<string, unknown> | null {
  const { model: ours } = presets['small-llms'];
  if (model.kind !== 'hub' || ours.kind !== 'hub') return null;
  return model.repository === ours.repository && model.revision === ours.revision ? qwenHalfBillion : null;
}
