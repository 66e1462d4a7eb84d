/**
 * Contents of config.json for the Hub models that presets use, at their pinned commits. They allow planning a run before
 * any server is contacted. `tests/run/config/presets.test.ts` compares them with the actual files.
 */
import type { ModelChoice } from './model-config';
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

/** SmolLM2-135M-Instruct, from the metadata of its GGUF file. */
const smolLM2 = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  bos_token_id: 1,
  eos_token_id: 2,
  hidden_act: 'silu',
  hidden_size: 576,
  intermediate_size: 1536,
  max_position_embeddings: 8192,
  num_attention_heads: 9,
  num_hidden_layers: 30,
  num_key_value_heads: 3,
  rms_norm_eps: 1e-5,
  rope_theta: 1e5,
  tie_word_embeddings: true,
  vocab_size: 49152,
};

/** Model configurations by the preset that uses the model. */
const known: Readonly<Record<string, Record<string, unknown>>> = {
  'small-llms': qwenHalfBillion,
  'first-run-135m': smolLM2,
};

/** Returns the files that planning reads, without a request. Null if config.json must be fetched. */
export function knownModelFiles(model: ModelChoice): { files: Record<string, Blob> } | null {
  const config = knownModelConfig(model);
  return config && { files: { 'config.json': new Blob([JSON.stringify(config)]) } };
}

/** @returns null if config.json must be fetched */
export function knownModelConfig(model: ModelChoice): Record<string, unknown> | null {
  if (model.kind !== 'hub') return null;
  const isIt = (name: string): boolean => {
    const { model: ours } = presets[name];
    return ours.kind === 'hub' && model.repository === ours.repository && model.revision === ours.revision;
  };
  const name = Object.keys(known).find(isIt);
  return name === undefined ? null : known[name];
}
