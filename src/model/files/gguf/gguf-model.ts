/**
 * Presents a GGUF file as a model in the Hugging Face layout: config.json, tokenizer.json, tokenizer_config.json and tensors in
 * f32. The weights are dequantised row by row during reads and never held as a whole.
 */
import { MarbleError } from '../../../base/error';
import { shown } from '../../../base/untrusted';
import { parseModelConfig, scaleFrequencies, type RopeScaling } from '../../config';
import type { ByteSource } from '../../source/byte-source';
import { elementsOf, type Checkpoint, type StoredTensor } from '../safetensors';
import { describeTokenizer } from './gguf-tokenizer';
import { readGgufHeader, refuse, type GgufHeader, type GgufTensor } from './header';
import { widenBlocks } from './tensor-types';

/** Description of a GGUF model as plain data, which can be stored as JSON. */
export interface GgufModel {
  texts: Record<string, object>;
  tensors: (GgufTensor & {
    /** Rows of an attention head with interleaved rotary pairs; 1 for rows in Hugging Face order. */
    pairedRows: number;
  })[];
}

const ARCHITECTURES = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' };

/** Fields below the architecture's name that need arithmetic that Marble does not implement. */
const UNSUPPORTED = `attention.sliding_window attention.scale attention.clamp_kqv attention.max_alibi_bias
  logit_scale residual_scale embedding_scale expert_count`.split(/\s+/);

const PARTS: Record<string, string> = {
  attn_norm: 'input_layernorm',
  ffn_norm: 'post_attention_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

const NAMES: Record<string, string> = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output_norm.weight': 'model.norm.weight',
  'output.weight': 'lm_head.weight',
};

const ROPE_FACTORS = 'rope_freqs.weight';

/** Converts a tensor name to that of Hugging Face. Unknown names are unchanged and later rejected by `checkTensors`. */
function hubName(name: string): string {
  const [, layer, part, kind] = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(name) ?? [];
  if (part !== undefined && Object.hasOwn(PARTS, part)) return `model.layers.${layer}.${PARTS[part]}.${kind}`;
  return Object.hasOwn(NAMES, name) ? NAMES[name] : name;
}

/** @throws MarbleError errors of `readGgufHeader`; `model/gguf-architecture`, `-value`, `-unsupported`, `-tokenizer` */
export async function describeGguf(source: ByteSource): Promise<GgufModel> {
  const header = await readGgufHeader(source);
  const { fields, tensors } = header;
  const architecture = fields.get('general.architecture');
  if (typeof architecture !== 'string' || !Object.hasOwn(ARCHITECTURES, architecture)) {
    const known = Object.keys(ARCHITECTURES).join(', ');
    throw refuse('architecture', `general.architecture is ${shown(architecture)}; Marble computes ${known}.`);
  }
  if (Number(fields.get('split.count') ?? 1) > 1) {
    throw refuse(
      'unsupported',
      'split.count is above 1: the file is a part of a model; Marble reads models in one file only.',
    );
  }
  const { tokenizer, tokenizerConfig } = describeTokenizer(header);
  const config: Record<string, unknown> = describeConfig(architecture as keyof typeof ARCHITECTURES, header);
  const factors = architecture === 'llama' ? tensors.find(({ name }) => name === ROPE_FACTORS) : undefined;
  if (factors !== undefined) {
    if (elementsOf(factors) !== Number(config.head_dim) / 2)
      throw refuse('value', `${ROPE_FACTORS} has shape [${factors.shape.join(', ')}]; it needs half a head.`);
    const values = widenBlocks(factors.type, await source.read(factors.begin, factors.end));
    config.rope_scaling = llama3Scaling(values, Number(config.rope_theta));
  }
  const used = new Set<string>();
  return {
    texts: { 'config.json': config, 'tokenizer.json': tokenizer, 'tokenizer_config.json': tokenizerConfig },
    tensors: tensors
      .filter((tensor) => tensor !== factors)
      .map((tensor) => {
        const name = hubName(tensor.name);
        if (used.has(name)) throw refuse('duplicate', `Tensor ${shown(name)} occurs twice.`);
        used.add(name);
        const part = architecture === 'llama' ? /self_attn\.([qk])_proj\.weight$/.exec(name)?.[1] : undefined;
        const heads = part === 'q' ? config.num_attention_heads : config.num_key_value_heads;
        const pairedRows = part === undefined ? 1 : tensor.shape[0] / Number(heads);
        if (part !== undefined && pairedRows % 2 !== 0) {
          throw refuse('value', `${tensor.name} has ${tensor.shape[0]} rows for ${shown(heads)} heads.`);
        }
        return { ...tensor, name, pairedRows };
      }),
  };
}

/** Fields of config.json as GGUF files name them, below the architecture's name or with their own. */
const KEYS: Readonly<Record<string, string>> = {
  hidden_size: '.embedding_length',
  intermediate_size: '.feed_forward_length',
  num_hidden_layers: '.block_count',
  num_attention_heads: '.attention.head_count',
  num_key_value_heads: '.attention.head_count_kv',
  head_dim: '.attention.key_length',
  max_position_embeddings: '.context_length',
  rms_norm_eps: '.attention.layer_norm_rms_epsilon',
  rope_theta: '.rope.freq_base',
  'rope_scaling.rope_type': '.rope.scaling.type',
  factor: '.rope.scaling.factor',
  vocab_size: 'tokenizer.ggml.tokens',
  bos_token_id: 'tokenizer.ggml.bos_token_id',
  eos_token_id: 'tokenizer.ggml.eos_token_id',
  pad_token_id: 'tokenizer.ggml.padding_token_id',
};

function describeConfig(
  architecture: keyof typeof ARCHITECTURES,
  { fields, tensors }: GgufHeader,
): Record<string, unknown> {
  const field = (name: string): unknown => fields.get(`${architecture}.${name}`);
  for (const name of UNSUPPORTED) {
    const value = field(name) ?? 0;
    if (value !== 0) throw refuse('unsupported', `${architecture}.${name} is ${shown(value)}.`);
  }
  const stated = Object.fromEntries(
    Object.entries(KEYS).map(([name, key]) => [
      name,
      fields.get(key.startsWith('.') ? architecture + key : key),
    ]),
  );
  const { 'rope_scaling.rope_type': scaling = 'none', factor, ...sizes } = stated;
  const { hidden_size: hidden, num_attention_heads: heads, rms_norm_eps: epsilon } = sizes;
  const headDim = sizes.head_dim ?? Number(hidden) / Number(heads);
  const config = {
    architectures: [ARCHITECTURES[architecture]],
    model_type: architecture,
    ...sizes,
    num_key_value_heads: sizes.num_key_value_heads ?? heads,
    head_dim: headDim,
    rms_norm_eps: typeof epsilon === 'number' ? decimal(epsilon) : epsilon,
    rope_theta: sizes.rope_theta ?? 10000,
    rope_scaling: scaling === 'none' ? null : { rope_type: scaling, factor },
    tie_word_embeddings: !tensors.some(({ name }) => name === 'output.weight'),
    vocab_size: (sizes.vocab_size as unknown[]).length,
  };
  checkFields(config, architecture);
  for (const name of ['attention.value_length', 'rope.dimension_count']) {
    const value = field(name) ?? headDim;
    if (!Object.is(value, headDim))
      throw refuse('unsupported', `${architecture}.${name} is ${shown(value)}, not ${shown(headDim)}.`);
  }
  return config;
}

/**
 * Checks the fields before they become JSON, which has no NaN.
 *
 * @throws MarbleError `model/gguf-value`, `model/gguf-unsupported` with the file's own name of the field
 */
function checkFields(config: Record<string, unknown>, architecture: string): void {
  try {
    parseModelConfig(config);
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    const names = Object.keys(KEYS).join('|');
    const pattern = new RegExp(`(?<![\\w.])(${names.replaceAll('.', '\\.')})(?![\\w.])`, 'g');
    const named = thrown.message.replace(/^config\.json: /, '').replace(pattern, (name) => {
      const key = KEYS[name];
      return key.startsWith('.') ? architecture + key : key;
    });
    throw refuse(thrown.code.replace(/^model\/config-/, ''), named);
  }
}

/** Recovers the decimal number from its float32 value: .00001, not .00000999999974. */
const decimal = (value: number): number => Number(value.toPrecision(6));

/**
 * Reconstructs the rope scaling of Llama 3.1 and later, for which a GGUF file has only the divisors of the frequencies. These
 * models differ only in the factor.
 */
function llama3Scaling(divisors: Float32Array, theta: number): object {
  if (!divisors.every((divisor) => Number.isFinite(divisor) && divisor > 0)) {
    throw refuse('value', `${ROPE_FACTORS} holds numbers that are not positive and finite.`);
  }
  const scaling: RopeScaling = {
    kind: 'llama3',
    factor: decimal(Math.max(...divisors)),
    lowFrequency: 1,
    highFrequency: 4,
    originalPositions: 8192,
  };
  const frequencies = Float64Array.from(divisors, (_, pair) => theta ** (-pair / divisors.length));
  const scaled = scaleFrequencies(frequencies, scaling);
  if (divisors.some((divisor, pair) => Math.abs((scaled[pair] * divisor) / frequencies[pair] - 1) > 1e-4)) {
    throw refuse('unsupported', `${ROPE_FACTORS} scales the positions otherwise than Llama 3 does.`);
  }
  return {
    rope_type: 'llama3',
    factor: scaling.factor,
    low_freq_factor: scaling.lowFrequency,
    high_freq_factor: scaling.highFrequency,
    original_max_position_embeddings: scaling.originalPositions,
  };
}

/** The tensors in f32. */
export function widenedTensors({ tensors }: GgufModel, source: ByteSource): Checkpoint {
  return new Map(
    tensors.map((tensor): [string, StoredTensor] => {
      const { name, shape } = tensor;
      const size = 4 * elementsOf(tensor);
      const rowBytes = 4 * shape[shape.length - 1];
      const read: StoredTensor['read'] = async (begin = 0, end = size) => {
        const first = Math.floor(begin / rowBytes);
        const rows = await readRows(tensor, source, first, Math.ceil(end / rowBytes));
        const bytes = new Uint8Array(rows.buffer);
        const from = begin - first * rowBytes;
        return end - begin === bytes.length ? bytes : bytes.slice(from, from + end - begin);
      };
      return [name, { name, dtype: 'F32', shape, size, read }];
    }),
  );
}

/** Reads rows in Hugging Face order, where a head has the first elements of all rotary pairs and then the second elements. */
async function readRows(
  { shape, type, begin, end, pairedRows }: GgufModel['tensors'][number],
  source: ByteSource,
  first: number,
  last: number,
): Promise<Float32Array<ArrayBuffer>> {
  const columns = shape[shape.length - 1];
  const stored = (end - begin) / (elementsOf({ shape }) / columns);
  const from = Math.floor(first / pairedRows) * pairedRows;
  const to = Math.ceil(last / pairedRows) * pairedRows;
  const rows = widenBlocks(type, await source.read(begin + from * stored, begin + to * stored));
  if (pairedRows === 1) return rows;
  const ordered = new Float32Array((last - first) * columns);
  for (let row = first; row < last; row++) {
    const within = row % pairedRows;
    const paired = within < pairedRows / 2 ? 2 * within : 2 * within - pairedRows + 1;
    const place = (row - within + paired - from) * columns;
    ordered.set(rows.subarray(place, place + columns), (row - first) * columns);
  }
  return ordered;
}
