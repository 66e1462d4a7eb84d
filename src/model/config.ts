/**
 * Parses a `config.json` in the Hugging Face layout for three architectures. All have RMSNorm, rotary positions,
 * grouped-query attention and SwiGLU; this file reads their differences. A field that needs arithmetic that Marble does not
 * implement causes an error (`UNSUPPORTED`). All other fields are ignored, as transformers ignores fields that an
 * architecture does not read: tools add such fields with every release. Dropout is ignored, since Marble samples and trains
 * without it. Additional layers cause an error in `files/tensor-table.ts`, which rejects unknown tensors.
 * Field meanings and defaults follow `configuration_{qwen2,qwen3,llama}.py` of transformers.
 */
import { MarbleError } from '../base/error';
import { isRecord, shown } from '../base/untrusted';

/** Architecture and sizes of a model, from its `config.json`. */
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
  /** Scaling of the rotary frequencies; null for none. */
  ropeScaling: RopeScaling | null;
  /** True if the q, k and v projections have a bias (qwen2 only). */
  attentionBias: boolean;
  /** True if every head of q and k has an RMSNorm before the rotation (qwen3). */
  headNorm: boolean;
  /** True if the output head is the embedding table. */
  tiedHead: boolean;
  maxPositions: number;
  eosTokenIds: number[];
}

type Architecture = ModelConfig['architecture'];

const ARCHITECTURES: readonly Architecture[] = ['qwen2', 'qwen3', 'llama'];

/** Splits a text into names at white space. */
export const names = (text: string): readonly string[] => text.trim().split(/\s+/);

const each = (text: string, values: readonly unknown[]): Record<string, readonly unknown[]> =>
  Object.fromEntries(names(text).map((name) => [name, values]));

/**
 * Fields that change a decoder's arithmetic, each with its neutral values. Missing, null and false are always neutral. The
 * fields come from decoders of transformers and from forks of these three architectures.
 */
const UNSUPPORTED: Record<string, readonly unknown[]> = {
  ...each('hidden_act', ['silu', 'swish']),
  ...each('partial_rotary_factor rotary_pct rope_ratio logit_scale logits_scaling scale_emb', [1]),
  ...each('embedding_multiplier residual_multiplier output_multiplier lm_head_multiplier', [1]),
  ...each('final_logit_softcapping attn_logit_softcapping clip_qkv num_kv_shared_layers', [0]),
  ...each('num_experts num_local_experts n_routed_experts', [0]),
  ...each(
    `quantization_config compression_config mlp_bias qkv_bias use_bias lm_head_bias
    use_qk_norm qk_norm qk_layernorm use_parallel_residual scale_depth scale_embedding
    attention_multiplier query_pre_attn_scalar attn_temperature_tuning use_logn_attn
    use_mrope rope_interleaved rope_interleave rotary_dim alibi no_rope_layers no_rope_layer_interval
    layer_rope_theta rope_local_base_freq use_dynamic_ntk
    attention_chunk_size attention_window sliding_window_pattern use_bidirectional_attention
    add_cross_attention is_encoder_decoder tie_encoder_decoder`,
    [],
  ),
};

type Fields = Record<string, unknown>;

/** Error for another architecture, a missing or invalid value, or a value that needs arithmetic that Marble does not implement. */
function refuse(kind: 'architecture' | 'value' | 'unsupported', message: string): MarbleError {
  return new MarbleError(
    `model/config-${kind}`,
    `config.json: ${message}`,
    'Choose a qwen2, qwen3 or llama model in the plain Hugging Face layout, such as Qwen/Qwen2.5-0.5B-Instruct.',
  );
}

/** Reads an integer in [1, limit]; returns `fallback` if the field is missing or null. */
function countField(fields: Fields, name: string, limit: number, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > limit) {
    throw refuse('value', `${name} is ${shown(value)}, not a whole number from 1 to ${limit}.`);
  }
  return value;
}

/** Reads a positive number; returns `fallback` if the field is missing or null. */
function positiveField(fields: Fields, name: string, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refuse('value', `${name} is ${shown(value)}, not a positive number.`);
  }
  return value;
}

/** Reads a boolean; returns false if the field is missing or null. */
function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean')
    throw refuse('value', `${name} is ${shown(value)}, neither true nor false.`);
  return value;
}

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

/** Rejects sliding-window attention. Marble computes full attention in every layer. */
function checkFullAttention(fields: Fields, architecture: Architecture, layers: number): void {
  const { layer_types: types, sliding_window: window } = fields;
  if (types != null) {
    if (Array.isArray(types) && types.every((type) => type === 'full_attention')) return; // precedes the older fields
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
  // Layers from max_window_layers on are windowed (transformers' default: 28).
  const firstWindowed = fields.max_window_layers ?? 28;
  const windowed = typeof firstWindowed !== 'number' || firstWindowed < layers;
  if (flagField(fields, 'use_sliding_window') && window !== null && windowed) {
    throw refuse('unsupported', 'use_sliding_window is true; Marble attends to the whole sequence.');
  }
}

function checkOtherFields(fields: Fields, architecture: Architecture): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value == null || value === false) continue;
    if (Object.hasOwn(UNSUPPORTED, name) && !UNSUPPORTED[name].includes(value)) {
      throw refuse('unsupported', `${name} is ${shown(value)}, which Marble does not compute.`);
    }
    if (name === 'attention_bias') {
      // Qwen2 always has q, k and v biases. In the other architectures the field also adds a bias to the output projection.
      if (architecture === 'qwen2' || !flagField(fields, name)) continue;
      throw refuse(
        'unsupported',
        `attention_bias is true; Marble computes ${architecture} without biases only.`,
      );
    }
  }
}

/** Parameters of each kind of scaling. */
const ROPE_FIELDS: Record<string, readonly string[]> = {
  default: [],
  linear: ['factor'],
  llama3: ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'],
};

/** True for fields of `rope_scaling` or `rope_parameters` that are valid for every kind. */
function isNeutral(key: string, value: unknown): boolean {
  const isWhole = key === 'partial_rotary_factor' && (value === 1 || value === null);
  return isWhole || ['rope_theta', 'rope_type', 'type'].includes(key);
}

function readScaling(name: string, rope: Fields): RopeScaling | null {
  const kind = rope.rope_type ?? rope.type ?? 'default';
  if (typeof kind !== 'string' || !Object.hasOwn(ROPE_FIELDS, kind)) {
    const known = Object.keys(ROPE_FIELDS).join(', ');
    throw refuse('unsupported', `${name}.rope_type is ${shown(kind)}; Marble computes ${known}.`);
  }
  for (const [key, value] of Object.entries(rope)) {
    if (ROPE_FIELDS[kind].includes(key) || isNeutral(key, value)) continue;
    throw refuse(
      'unsupported',
      `${name}.${key} is ${shown(value)}; Marble does not support it for ${kind} positions.`,
    );
  }
  if (kind === 'default') return null;
  const [factor, lowFrequency, highFrequency, originalPositions] = ROPE_FIELDS[kind].map((key) =>
    positiveField(rope, key),
  );
  if (kind === 'linear') return { kind, factor };
  if (highFrequency <= lowFrequency) {
    throw refuse(
      'value',
      `${name}.high_freq_factor ${highFrequency} is not above low_freq_factor ${lowFrequency}.`,
    );
  }
  return { kind: 'llama3', factor, lowFrequency, highFrequency, originalPositions };
}

type Rope = { ropeTheta: number; ropeScaling: RopeScaling | null };

/**
 * Reads `rope_theta` and the scaling, either from the top level of config.json and `rope_scaling`, or from `rope_parameters`
 * (transformers 5), whose `rope_theta` has precedence over that of the top level.
 *
 * @throws MarbleError `model/config-unsupported` for other kinds; `model/config-value` for invalid values, and if `rope_scaling`
 *   and `rope_parameters` contradict each other (transformers 5 reads `rope_scaling`)
 */
function readRope(fields: Fields): Rope {
  const [older, newer] = ['rope_scaling', 'rope_parameters'].map((name): Rope | null => {
    const rope = fields[name] ?? {};
    if (!isRecord(rope)) throw refuse('value', `${name} is ${shown(rope)}, not an object.`);
    if (Object.keys(rope).length === 0) return null;
    const theta = { rope_theta: rope.rope_theta ?? fields.rope_theta };
    return {
      ropeTheta: positiveField(theta, 'rope_theta', 10000),
      ropeScaling: readScaling(name, rope),
    };
  });
  if (older !== null && newer !== null && JSON.stringify(older) !== JSON.stringify(newer)) {
    throw refuse('value', 'rope_scaling and rope_parameters contradict each other.');
  }
  return newer ?? older ?? { ropeTheta: positiveField(fields, 'rope_theta', 10000), ropeScaling: null };
}

/** Reads eos_token_id from generation_config.json, or else from config.json, as transformers does. */
function readEosTokenIds(fields: Fields, generation: unknown, vocabularySize: number): number[] {
  const generationIds = isRecord(generation) ? generation.eos_token_id : null;
  const listed: unknown = generationIds ?? fields.eos_token_id ?? [];
  const ids: unknown[] = Array.isArray(listed) ? listed : [listed];
  return ids.map((id) => {
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabularySize) return id;
    const file = generationIds == null ? '' : ' of generation_config.json';
    throw refuse(
      'value',
      `eos_token_id ${shown(id)}${file} is not a token of the vocabulary of ${vocabularySize}.`,
    );
  });
}

/**
 * Reads a parsed `config.json`.
 *
 * @param json result of `JSON.parse` for the file
 * @param generation result of `JSON.parse` for generation_config.json, if the model has one
 * @throws MarbleError `model/config-architecture` for another architecture, `model/config-value` for a missing or invalid
 *   value, `model/config-unsupported` for a field with unsupported arithmetic; each with the name of the field
 */
export function parseModelConfig(json: unknown, generation?: unknown): ModelConfig {
  if (!isRecord(json)) throw refuse('value', `its content is ${shown(json)}, not an object.`);
  const architecture = readArchitecture(json);
  const isLlama = architecture === 'llama';
  const hiddenSize = countField(json, 'hidden_size', 65536);
  const layers = countField(json, 'num_hidden_layers', 1024);
  const heads = countField(json, 'num_attention_heads', 4096);
  const kvHeads = countField(json, 'num_key_value_heads', 4096, isLlama ? heads : undefined);
  if (heads % kvHeads !== 0) {
    throw refuse(
      'value',
      `num_attention_heads ${heads} is not a multiple of num_key_value_heads ${kvHeads}.`,
    );
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
    eosTokenIds: readEosTokenIds(json, generation, vocabularySize),
  };
}

/**
 * Scaling of the rotary frequencies for sequences beyond the original training length, as in `modeling_rope_utils.py` of
 * transformers:
 *
 *     linear   every frequency / factor, equivalent to positions / factor (Chen et al. 2023)
 *     llama3   with the wavelength w = 2 pi / frequency and the original length L: frequency / factor if w > L / low, unchanged
 *              if w < L / high, and interpolated between the two with the weight (L / w - low) / (high - low)
 *
 * Left out, with an error: yarn and longrope, which also scale the attention, and dynamic, whose frequencies depend on the
 * sequence length.
 */
export type RopeScaling =
  | { kind: 'linear'; factor: number }
  | {
      kind: 'llama3';
      factor: number;
      lowFrequency: number;
      highFrequency: number;
      originalPositions: number;
    };

/** @param frequencies radians per position, one per pair of a head's dimensions @returns the scaled frequencies */
export function scaleFrequencies(frequencies: Float64Array, scaling: RopeScaling | null): Float64Array {
  if (scaling === null) return frequencies;
  if (scaling.kind === 'linear') return frequencies.map((frequency) => frequency / scaling.factor);
  const { factor, lowFrequency, highFrequency, originalPositions } = scaling;
  return frequencies.map((frequency) => {
    const waves = (originalPositions * frequency) / (2 * Math.PI);
    const unscaled = Math.min(1, Math.max(0, (waves - lowFrequency) / (highFrequency - lowFrequency)));
    return unscaled * frequency + ((1 - unscaled) * frequency) / factor;
  });
}
