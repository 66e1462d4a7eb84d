/**
 * A model's `config.json` in Hugging Face's layout, for the three architectures that the transformer computes. They
 * share RMSNorm, rotary positions, grouped-query attention and SwiGLU; what differs is read here. The rule for all
 * other fields: one that cannot change the arithmetic is named in `HARMLESS`, one that Marble knows has one value that
 * it computes (`REQUIRED_VALUES`), and any other is refused by its name, since a model that runs with a field ignored
 * runs wrong in silence. Field meanings and defaults follow `configuration_{qwen2,qwen3,llama}.py` of transformers.
 */
import { MarbleError } from '../error';

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
  /** Whether q, k and v projections have a bias (qwen2 yes; qwen3 and llama no). */
  attentionBias: boolean;
  /** RMSNorm on every head of q and k before the rotation (qwen3). */
  headNorm: boolean;
  /** Whether the output head is the embedding table. */
  tiedHead: boolean;
  maxPositions: number;
  eosTokenIds: number[];
}

type Fields = Record<string, unknown>;
type Architecture = ModelConfig['architecture'];

const ARCHITECTURES: readonly Architecture[] = ['qwen2', 'qwen3', 'llama'];

/** Fields read below. */
const READ = [
  'model_type',
  'architectures',
  'hidden_size',
  'num_hidden_layers',
  'num_attention_heads',
  'num_key_value_heads',
  'head_dim',
  'intermediate_size',
  'vocab_size',
  'rms_norm_eps',
  'rope_theta',
  'rope_scaling',
  'rope_parameters',
  'tie_word_embeddings',
  'max_position_embeddings',
  'eos_token_id',
  'use_sliding_window',
  'sliding_window',
  'max_window_layers',
  'layer_types',
];

/** Fields whose value never reaches the forward pass: bookkeeping, storage, sampling defaults, initialisation. */
const HARMLESS = [
  'attention_dropout',
  'attn_implementation',
  'bad_words_ids',
  'begin_suppress_tokens',
  'bos_token_id',
  'chunk_size_feed_forward',
  'cross_attention_hidden_size',
  'decoder_start_token_id',
  'diversity_penalty',
  'do_sample',
  'dtype',
  'early_stopping',
  'encoder_no_repeat_ngram_size',
  'exponential_decay_length_penalty',
  'finetuning_task',
  'forced_bos_token_id',
  'forced_eos_token_id',
  'id2label',
  'initializer_range',
  'label2id',
  'length_penalty',
  'max_length',
  'min_length',
  'no_repeat_ngram_size',
  'num_beam_groups',
  'num_beams',
  'num_return_sequences',
  'output_attentions',
  'output_hidden_states',
  'output_scores',
  'pad_token_id',
  'prefix',
  'pretraining_tp',
  'problem_type',
  'remove_invalid_values',
  'repetition_penalty',
  'return_dict',
  'return_dict_in_generate',
  'sep_token_id',
  'suppress_tokens',
  'task_specific_params',
  'temperature',
  'tf_legacy_loss',
  'tokenizer_class',
  'top_k',
  'top_p',
  'torch_dtype',
  'torchscript',
  'transformers.js_config',
  'transformers_version',
  'typical_p',
  'unsloth_fixed',
  'unsloth_version',
  'use_bfloat16',
  'use_cache',
];

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

function refuse(code: string, message: string, cause?: unknown): MarbleError {
  return new MarbleError(
    `model/${code}`,
    message,
    'Choose a qwen2, qwen3 or llama model in the plain Hugging Face layout, such as Qwen/Qwen2.5-0.5B-Instruct.',
    { cause },
  );
}

/** A value of any kind in a message, never longer than a line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field as an integer in [1, limit]; `fallback` where the field is absent or null. */
function count(fields: Fields, name: string, limit: number, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > limit) {
    throw refuse(
      'config-value',
      `config.json: ${name} is ${shown(value)}, not a whole number from 1 to ${limit}.`,
    );
  }
  return value;
}

function positive(fields: Fields, name: string, fallback: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refuse('config-value', `config.json: ${name} is ${shown(value)}, not a positive number.`);
  }
  return value;
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') {
    throw refuse('config-value', `config.json: ${name} is ${shown(value)}, neither true nor false.`);
  }
  return value;
}

function readArchitecture(fields: Fields): Architecture {
  const architecture = ARCHITECTURES.find((name) => name === fields.model_type);
  if (architecture === undefined) {
    throw refuse(
      'config-architecture',
      `config.json: model_type is ${shown(fields.model_type)}; Marble computes ${ARCHITECTURES.join(', ')}.`,
    );
  }
  const classes = fields.architectures ?? [];
  if (!Array.isArray(classes)) {
    throw refuse('config-value', `config.json: architectures is ${shown(classes)}, not a list.`);
  }
  const causal = { qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM', llama: 'LlamaForCausalLM' }[
    architecture
  ];
  if (classes.length > 0 && !classes.includes(causal)) {
    throw refuse('config-architecture', `config.json: architectures is ${shown(classes)}, not ${causal}.`);
  }
  return architecture;
}

/** `rope_theta`, at the top or in `rope_parameters` (transformers 5); any scaling of the positions is refused. */
function readRopeTheta(fields: Fields): number {
  let theta = fields.rope_theta;
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const rope = fields[name] ?? {};
    if (!isRecord(rope)) {
      throw refuse('config-value', `config.json: ${name} is ${shown(rope)}, not an object.`);
    }
    for (const [key, value] of Object.entries(rope)) {
      const plain =
        key === 'rope_theta' ||
        ((key === 'rope_type' || key === 'type') && (value === 'default' || value === null)) ||
        (key === 'partial_rotary_factor' && (value === 1 || value === null));
      if (!plain) {
        throw refuse(
          'config-unsupported',
          `config.json: ${name}.${key} is ${shown(value)}; Marble computes unscaled rotary positions only.`,
        );
      }
    }
    theta ??= rope.rope_theta;
  }
  return positive({ rope_theta: theta }, 'rope_theta', 10000);
}

/** Refuses a window of attention wherever it would apply: Marble's attention is full in every layer. */
function checkFullAttention(fields: Fields, architecture: Architecture, layers: number): void {
  const types = fields.layer_types ?? [];
  if (!Array.isArray(types) || types.some((type) => type !== 'full_attention')) {
    throw refuse(
      'config-unsupported',
      `config.json: layer_types is ${shown(types)}; Marble computes full_attention only.`,
    );
  }
  if (architecture === 'llama') {
    if (fields.sliding_window != null && fields.use_sliding_window !== false) {
      throw refuse(
        'config-unsupported',
        `config.json: sliding_window is ${shown(fields.sliding_window)}; Marble attends to the whole sequence.`,
      );
    }
    return;
  }
  // Layers from max_window_layers on have the window (transformers' default: 28).
  const firstWindowed = fields.max_window_layers ?? 28;
  const windowed = typeof firstWindowed !== 'number' || firstWindowed < layers;
  if (flag(fields, 'use_sliding_window') && fields.sliding_window !== null && windowed) {
    throw refuse(
      'config-unsupported',
      `config.json: use_sliding_window is true; Marble attends to the whole sequence.`,
    );
  }
}

function checkOtherFields(fields: Fields, architecture: Architecture): void {
  for (const [name, value] of Object.entries(fields)) {
    const required = Object.hasOwn(REQUIRED_VALUES, name) ? REQUIRED_VALUES[name] : undefined;
    if (required !== undefined) {
      if (value != null && !required.includes(value)) {
        throw refuse(
          'config-unsupported',
          `config.json: ${name} is ${shown(value)}; Marble computes ${required.map(shown).join(' or ')} only.`,
        );
      }
    } else if (name === 'attention_bias') {
      // Qwen2 has its q, k and v biases whatever this says; in the others it would add one to the output projection too.
      if (architecture !== 'qwen2' && flag(fields, name)) {
        throw refuse(
          'config-unsupported',
          `config.json: attention_bias is true; Marble computes ${architecture} without biases only.`,
        );
      }
    } else if (
      !name.startsWith('_') &&
      !READ.includes(name) &&
      !HARMLESS.includes(name) &&
      value != null &&
      value !== false
    ) {
      throw refuse(
        'config-unsupported',
        `config.json: ${shown(name)} is ${shown(value)}, a field that Marble does not know and that may change what is computed.`,
      );
    }
  }
}

function readEosTokenIds(fields: Fields, vocabularySize: number): number[] {
  const listed: unknown = fields.eos_token_id ?? [];
  const ids: unknown[] = Array.isArray(listed) ? listed : [listed];
  return ids.map((id) => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= vocabularySize) {
      throw refuse(
        'config-value',
        `config.json: eos_token_id ${shown(id)} is not a token of the vocabulary of ${vocabularySize}.`,
      );
    }
    return id;
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
  if (!isRecord(json)) {
    throw refuse('config-value', `config.json holds ${shown(json)}, not an object.`);
  }
  const architecture = readArchitecture(json);
  const hiddenSize = count(json, 'hidden_size', 65536);
  const layers = count(json, 'num_hidden_layers', 1024);
  const heads = count(json, 'num_attention_heads', 4096);
  const kvHeads = count(json, 'num_key_value_heads', 4096, architecture === 'llama' ? heads : undefined);
  if (heads % kvHeads !== 0) {
    throw refuse(
      'config-value',
      `config.json: num_attention_heads ${heads} is no multiple of num_key_value_heads ${kvHeads}.`,
    );
  }
  const headDim = count(json, 'head_dim', 4096, architecture === 'qwen3' ? 128 : hiddenSize / heads);
  if (headDim % 2 !== 0) {
    throw refuse('config-value', `config.json: head_dim ${headDim} is odd; rotary positions need pairs.`);
  }
  const vocabularySize = count(json, 'vocab_size', 4194304);
  checkFullAttention(json, architecture, layers);
  checkOtherFields(json, architecture);
  return {
    architecture,
    hiddenSize,
    layers,
    heads,
    kvHeads,
    headDim,
    intermediateSize: count(json, 'intermediate_size', 1048576),
    vocabularySize,
    normEpsilon: positive(json, 'rms_norm_eps', 1e-6),
    ropeTheta: readRopeTheta(json),
    attentionBias: architecture === 'qwen2',
    headNorm: architecture === 'qwen3',
    tiedHead: flag(json, 'tie_word_embeddings'),
    maxPositions: count(json, 'max_position_embeddings', 16777216, architecture === 'llama' ? 2048 : 32768),
    eosTokenIds: readEosTokenIds(json, vocabularySize),
  };
}
