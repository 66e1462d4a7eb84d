/**
 * A model's `config.json` in Hugging Face's layout, for the three architectures that the transformer computes. They
 * share RMSNorm, rotary positions, grouped-query attention and SwiGLU; what differs is read here. The rule for all
 * other fields: one that cannot change the arithmetic is named in `HARMLESS`, one that Marble knows has one value that
 * it computes (`REQUIRED_VALUES`), and any other is refused by its name, since a model that runs with a field ignored
 * runs wrong in silence. Field meanings and defaults follow `configuration_{qwen2,qwen3,llama}.py` of transformers.
 */
import { isRecord, shown } from '../base/untrusted';
import { refuse, countField, flagField, names, positiveField, type Fields } from './config-fields';
import { readRope, type RopeScaling } from './rope-scaling';

/** The architecture, read from a model's `config.json` (Hugging Face's names on the left of `parseModelConfig`). */
export interface ModelConfig {
  architecture: 'qwen2' | 'qwen3' | 'llama';
  hiddenSize: number;
  layers: number;
  heads: number;
  /** Key/value heads; divides `heads`. */
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
  vocabularySize: number;
  normEpsilon: number;
  ropeTheta: number;
  /** How the rotary frequencies are stretched; null for as they are. */
  ropeScaling: RopeScaling | null;
  /** Whether q, k and v projections have a bias (qwen2 yes; qwen3 and llama no). */
  attentionBias: boolean;
  /** RMSNorm on every head of q and k before the rotation (qwen3). */
  headNorm: boolean;
  /** Whether the output head is the embedding table. */
  tiedHead: boolean;
  maxPositions: number;
  eosTokenIds: number[];
}

type Architecture = ModelConfig['architecture'];

const ARCHITECTURES: readonly Architecture[] = ['qwen2', 'qwen3', 'llama'];

/** Fields read below. */
const READ = names(`
  model_type architectures hidden_size num_hidden_layers num_attention_heads num_key_value_heads head_dim
  intermediate_size vocab_size rms_norm_eps rope_theta rope_scaling rope_parameters tie_word_embeddings
  max_position_embeddings eos_token_id use_sliding_window sliding_window max_window_layers layer_types
`);

/** Fields whose value never reaches the forward pass: bookkeeping, tokens, storage, training, sampling defaults. */
const HARMLESS = names(`
  transformers_version transformers.js_config unsloth_fixed unsloth_version finetuning_task problem_type
  task_specific_params id2label label2id tokenizer_class prefix
  bos_token_id pad_token_id sep_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id
  dtype torch_dtype torchscript use_bfloat16 use_cache attn_implementation chunk_size_feed_forward pretraining_tp
  output_attentions output_hidden_states output_scores return_dict return_dict_in_generate tf_legacy_loss
  attention_dropout initializer_range cross_attention_hidden_size
  bad_words_ids begin_suppress_tokens suppress_tokens remove_invalid_values diversity_penalty do_sample early_stopping
  no_repeat_ngram_size encoder_no_repeat_ngram_size exponential_decay_length_penalty length_penalty
  max_length min_length num_beam_groups num_beams num_return_sequences repetition_penalty temperature top_k top_p typical_p
`);

/** Fields that change the arithmetic, with the values that mean "as Marble computes it". Absent or null is fine. */
const REQUIRED_VALUES: Record<string, readonly unknown[]> = {
  hidden_act: ['silu', 'swish'],
  mlp_bias: [false],
  add_cross_attention: [false],
  is_encoder_decoder: [false],
  is_decoder: [false, true],
  tie_encoder_decoder: [false],
  use_mrope: [false],
  partial_rotary_factor: [1],
  rope_interleaved: [false],
  residual_dropout: [0],
};

function readArchitecture(fields: Fields): Architecture {
  const architecture = ARCHITECTURES.find((name) => name === fields.model_type);
  if (architecture === undefined) {
    throw refuse(
      'architecture',
      `model_type is ${shown(fields.model_type)}; Marble computes ${ARCHITECTURES.join(', ')}.`,
    );
  }
  const classes = fields.architectures ?? [];
  if (!Array.isArray(classes)) throw refuse('value', `architectures is ${shown(classes)}, not a list.`);
  const causal = { qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM', llama: 'LlamaForCausalLM' }[
    architecture
  ];
  if (classes.length > 0 && !classes.includes(causal)) {
    throw refuse('architecture', `architectures is ${shown(classes)}, not ${causal}.`);
  }
  return architecture;
}

/** Refuses a window of attention wherever it would apply: Marble's attention is full in every layer. */
function checkFullAttention(fields: Fields, architecture: Architecture, layers: number): void {
  const { layer_types: types = [], sliding_window: window } = fields;
  if (types !== null && (!Array.isArray(types) || types.some((type) => type !== 'full_attention'))) {
    throw refuse('unsupported', `layer_types is ${shown(types)}; Marble computes full_attention only.`);
  }
  if (architecture === 'llama') {
    if (window != null && fields.use_sliding_window !== false) {
      throw refuse(
        'unsupported',
        `sliding_window is ${shown(window)}; Marble attends to the whole sequence.`,
      );
    }
    return;
  }
  // Layers from max_window_layers on have the window (transformers' default: 28).
  const firstWindowed = fields.max_window_layers ?? 28;
  const windowed = typeof firstWindowed !== 'number' || firstWindowed < layers;
  if (flagField(fields, 'use_sliding_window') && window !== null && windowed) {
    throw refuse('unsupported', 'use_sliding_window is true; Marble attends to the whole sequence.');
  }
}

function checkOtherFields(fields: Fields, architecture: Architecture): void {
  for (const [name, value] of Object.entries(fields)) {
    const required = Object.hasOwn(REQUIRED_VALUES, name) ? REQUIRED_VALUES[name] : null;
    if (required !== null) {
      if (value == null || required.includes(value)) continue;
      const values = required.map(shown).join(' or ');
      throw refuse('unsupported', `${name} is ${shown(value)}; Marble computes ${values} only.`);
    }
    if (name === 'attention_bias') {
      // Qwen2 has its q, k and v biases whatever this says; in the others it would add one to the output projection too.
      if (architecture === 'qwen2' || !flagField(fields, name)) continue;
      throw refuse(
        'unsupported',
        `attention_bias is true; Marble computes ${architecture} without biases only.`,
      );
    }
    const known = name.startsWith('_') || READ.includes(name) || HARMLESS.includes(name);
    if (known || value == null || value === false) continue;
    throw refuse(
      'unsupported',
      `${shown(name)} is ${shown(value)}, a field that Marble does not know and that may change what is computed.`,
    );
  }
}

function readEosTokenIds(fields: Fields, vocabularySize: number): number[] {
  const listed: unknown = fields.eos_token_id ?? [];
  const ids: unknown[] = Array.isArray(listed) ? listed : [listed];
  return ids.map((id) => {
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabularySize) return id;
    throw refuse('value', `eos_token_id ${shown(id)} is not a token of the vocabulary of ${vocabularySize}.`);
  });
}

/**
 * Reads a parsed `config.json`.
 *
 * @param json what `JSON.parse` made of the file
 * @throws MarbleError `model/config-architecture` for another kind of model, `model/config-value` for a value that
 *   is missing or impossible, `model/config-unsupported` for a field that changes the arithmetic, each by its name
 */
export function parseModelConfig(json: unknown): ModelConfig {
  if (!isRecord(json)) throw refuse('value', `there is ${shown(json)} in it, not an object.`);
  const architecture = readArchitecture(json);
  const isLlama = architecture === 'llama';
  const hiddenSize = countField(json, 'hidden_size', 65536);
  const layers = countField(json, 'num_hidden_layers', 1024);
  const heads = countField(json, 'num_attention_heads', 4096);
  const kvHeads = countField(json, 'num_key_value_heads', 4096, isLlama ? heads : undefined);
  if (heads % kvHeads !== 0) {
    throw refuse('value', `num_attention_heads ${heads} is no multiple of num_key_value_heads ${kvHeads}.`);
  }
  const headDim = countField(json, 'head_dim', 4096, architecture === 'qwen3' ? 128 : hiddenSize / heads);
  if (headDim % 2 !== 0) throw refuse('value', `head_dim ${headDim} is odd; rotary positions need pairs.`);
  const vocabularySize = countField(json, 'vocab_size', 4194304);
  checkFullAttention(json, architecture, layers);
  checkOtherFields(json, architecture);
  return {
    architecture,
    hiddenSize,
    layers,
    heads,
    kvHeads,
    headDim,
    intermediateSize: countField(json, 'intermediate_size', 1048576),
    vocabularySize,
    normEpsilon: positiveField(json, 'rms_norm_eps', 1e-6),
    ...readRope(json),
    attentionBias: architecture === 'qwen2',
    headNorm: architecture === 'qwen3',
    tiedHead: flagField(json, 'tie_word_embeddings'),
    maxPositions: countField(json, 'max_position_embeddings', 2 ** 24, isLlama ? 2048 : 32768),
    eosTokenIds: readEosTokenIds(json, vocabularySize),
  };
}
