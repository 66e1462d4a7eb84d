/**
 * Reads and writes LoRA adapters in PEFT's layout: `adapter_config.json` and `adapter_model.safetensors`, with tensor names such
 * as `base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight`. A is [rank, inputs], B is [outputs, rank]. A setting that
 * needs arithmetic that Marble does not implement causes an error with its name (`peft/tuners/lora/config.py`).
 */
import { MarbleError } from '../../base/error';
import { patternFault } from '../../base/pattern-limits';
import { isRecord, shown } from '../../base/untrusted';
import { names, type ModelConfig } from '../config';
import { readFloat32 } from './half-floats';
import { openSafetensors, writeSafetensors, type Checkpoint, type TensorToWrite } from './safetensors';
import type { ModelFiles } from '../source/source';
import { expectedTensors } from './tensor-table';

const ADAPTER_CONFIG = 'adapter_config.json';
const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

export interface AdapterConfig {
  /** Largest rank of the adapter. Matrices of a smaller rank (`rank_pattern`) are padded with zeros. */
  rank: number;
  /** Common alpha. Matrices with another scale (`alpha_pattern`) are multiplied to compensate. */
  alpha: number;
  /** Rank-stabilised LoRA: scales the product by alpha / sqrt(rank) instead of alpha / rank. */
  useRslora: boolean;
  /** Base model of the adapter, as named by its author. */
  baseModel: string | null;
}

interface ParsedAdapter extends AdapterConfig {
  /** Factor of the product B A x. */
  scale: number;
  /** Rank and scale of a module, such as `model.layers.0.self_attn.q_proj`, with `rank_pattern` and `alpha_pattern`. */
  traitsOf: (module: string) => { rank: number; scale: number };
}

/** Settings that are read below, or have no effect on a saved adapter, whose tensor names identify the modules. */
const HARMLESS = names(`
  r lora_alpha rank_pattern alpha_pattern lora_dropout use_rslora base_model_name_or_path revision peft_version inference_mode auto_mapping
  target_modules exclude_modules layers_pattern layers_to_transform ensure_weight_tying
  corda_config eva_config loftq_config lora_ga_config megatron_config megatron_core qalora_group_size runtime_config
`);

/** Supported values of settings. Null, false, [] and {} are always supported. */
const REQUIRED_VALUES: Record<string, readonly unknown[]> = {
  peft_type: ['LORA'],
  task_type: ['CAUSAL_LM'],
  bias: ['none'],
  // These do not change the base weights, unlike PiSSA, OLoRA, CorDA and LoftQ.
  init_lora_weights: [true, 'gaussian', 'orthogonal', 'eva'],
};

const LARGEST_RANK = 4096;
/** Scales beyond it leave float32. */
const LARGEST_ALPHA = 1e6;

function refuseConfig(message: string): MarbleError {
  return new MarbleError(
    'model/adapter-config',
    `adapter_config.json: ${message}`,
    'Choose a plain LoRA adapter in PEFT’s format (adapter_config.json and adapter_model.safetensors).',
  );
}

/** True for values that disable a setting: null, false, empty lists and empty objects. */
function isOff(value: unknown): boolean {
  return value == null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * @param json result of `JSON.parse` for the file
 * @throws MarbleError `model/adapter-config` with the name of the setting
 */
export function parseAdapterConfig(json: unknown): ParsedAdapter {
  if (!isRecord(json)) throw refuseConfig(`its content is ${shown(json)}, not an object.`);
  for (const [name, value] of Object.entries(json)) {
    const required = Object.hasOwn(REQUIRED_VALUES, name) ? REQUIRED_VALUES[name] : [];
    if (!HARMLESS.includes(name) && !isOff(value) && !required.includes(value)) {
      throw refuseConfig(`${name} is ${shown(value)}, which Marble does not compute.`);
    }
  }
  const { r, lora_alpha: alpha, use_rslora: useRslora = false, base_model_name_or_path: baseModel } = json;
  if (!isRank(r)) throw refuseConfig(`r is ${shown(r)}, not a whole number from 1 to ${LARGEST_RANK}.`);
  if (!isAlpha(alpha))
    throw refuseConfig(`lora_alpha is ${shown(alpha)}, not a number of at most ${LARGEST_ALPHA}.`);
  if (typeof useRslora !== 'boolean') throw refuseConfig(`use_rslora is ${shown(useRslora)}.`);
  const ranks = readPatterns(json, 'rank_pattern', isRank);
  const alphas = readPatterns(json, 'alpha_pattern', isAlpha);
  if (alpha === 0 && alphas.length > 0) throw refuseConfig('lora_alpha is 0 beside an alpha_pattern.');
  const rank = Math.max(r, ...ranks.map(([, value]) => value));
  /** The value of the first matching pattern. */
  const valueAt = (patterns: readonly Pattern[], module: string): number | undefined =>
    patterns.find(([matches]) => matches.test(module))?.[1];
  const scaleOf = (alpha: number, rank: number): number => alpha / (useRslora ? Math.sqrt(rank) : rank);
  // Keeps the scale of the modules without a pattern.
  const common = rank === r ? alpha : alpha * (useRslora ? Math.sqrt(rank / r) : rank / r);
  return {
    rank,
    alpha: common,
    useRslora,
    baseModel: typeof baseModel === 'string' ? baseModel : null,
    scale: scaleOf(common, rank),
    traitsOf(module) {
      const rank = valueAt(ranks, module) ?? r;
      return { rank, scale: scaleOf(valueAt(alphas, module) ?? alpha, rank) };
    },
  };
}

type Pattern = [matches: RegExp, value: number];

function isRank(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LARGEST_RANK;
}

function isAlpha(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LARGEST_ALPHA;
}

/** Characters. Names of modules are far shorter. */
const LONGEST_PATTERN = 1000;
const MOST_PATTERNS = 1000;
/** Limit on the patterns that are no plain names. */
const MOST_CHOICES = 32;

/** Reads the regular expressions of a pattern with their values. PEFT's `get_pattern_key` matches them at the end of a module name. */
function readPatterns(
  json: Record<string, unknown>,
  name: string,
  isValue: (value: unknown) => value is number,
): Pattern[] {
  const patterns = json[name] ?? {};
  if (!isRecord(patterns)) throw refuseConfig(`${name} is ${shown(patterns)}, not an object.`);
  const entries = Object.entries(patterns);
  if (entries.length > MOST_PATTERNS)
    throw refuseConfig(`${name} has ${entries.length} entries; the limit is ${MOST_PATTERNS}.`);
  if (entries.filter(([key]) => /[*+?{|]/.test(key)).length > MOST_CHOICES)
    throw refuseConfig(`${name} has more than ${MOST_CHOICES} entries with choices or repetitions.`);
  return entries.map(([key, value]) => {
    if (!isValue(value)) throw refuseConfig(`${name} has ${shown(value)} for ${shown(key)}.`);
    // Names of modules are short, so that a few repetitions take no time.
    const fault =
      key.length > LONGEST_PATTERN ? `has ${key.length} characters` : patternFault(`(${key})$`, 2, 64);
    if (fault !== null)
      throw refuseConfig(`${name} has ${shown(key)}, which ${fault} and could take forever.`);
    try {
      return [new RegExp(`^(.*\\.)?(${key})$`), value];
    } catch {
      throw refuseConfig(`${name} has ${shown(key)}, which is no regular expression.`);
    }
  });
}

export interface AdapterFile extends ParsedAdapter {
  tensors: Checkpoint;
  /** Reads a tensor as float32 at the adapter's rank and scale; null for a projection without an adapter. */
  read: (name: string) => Promise<Float32Array<ArrayBuffer> | null>;
}

const TENSOR_NAME =
  /^base_model\.model\.(model\.layers\.\d{1,4}\.(?:self_attn\.[qkvo]_proj|mlp\.(?:gate|up|down)_proj))\.lora_([AB])\.weight$/;

function refuse(kind: string, message: string): MarbleError {
  return new MarbleError(
    `model/adapter-${kind}`,
    message,
    'Choose an adapter that was trained on this model, or load the base model of the adapter.',
  );
}

/** Checks that every tensor belongs to an A and B pair of a projection of this model and has the shape for its rank. */
function checkAdapterTensors(
  { baseModel, traitsOf }: ParsedAdapter,
  config: ModelConfig,
  tensors: Checkpoint,
): void {
  const matrices = new Map(expectedTensors(config).map(({ name, shape }) => [name, shape]));
  const trainedOn =
    baseModel === null ? '' : ` The adapter names ${JSON.stringify(baseModel.slice(0, 100))}.`;
  for (const { name, shape, dtype } of tensors.values()) {
    const match = TENSOR_NAME.exec(name);
    const matrix = match === null ? undefined : matrices.get(`${match[1]}.weight`);
    if (match === null || matrix === undefined) {
      throw refuse(
        'tensor',
        `The adapter has a tensor ${JSON.stringify(name.slice(0, 120))} that does not match any projection of this model.${trainedOn}`,
      );
    }
    const [outputs, inputs] = matrix;
    const { rank } = traitsOf(match[1]);
    const expected = match[2] === 'A' ? [rank, inputs] : [outputs, rank];
    if (shape.length !== 2 || shape.some((size, axis) => size !== expected[axis])) {
      throw refuse(
        'shape',
        `Adapter tensor ${name} has shape [${shape.join(', ')}]; this model at rank ${rank} requires [${expected.join(', ')}].${trainedOn}`,
      );
    }
    if (dtype !== 'F32' && dtype !== 'BF16' && dtype !== 'F16') {
      throw refuse('tensor', `Adapter tensor ${name} is ${dtype}; Marble reads F32, BF16 and F16.`);
    }
    const other = name.replace(/lora_[AB]\.weight$/, `lora_${match[2] === 'A' ? 'B' : 'A'}.weight`);
    if (!tensors.has(other)) throw refuse('tensor', `The adapter has ${name} and not ${other}.`);
  }
  if (tensors.size === 0) throw refuse('tensor', 'The adapter has no tensors.');
}

/**
 * Opens an adapter and checks all of its tensors against the model. Its matrices are read one at a time.
 *
 * @throws MarbleError `model/adapter-config`, `model/adapter-tensor`, `model/adapter-shape`, errors of
 *   `openSafetensors` and of `ModelFiles`
 */
export async function openAdapter(files: ModelFiles, config: ModelConfig): Promise<AdapterFile> {
  const adapter = parseAdapterConfig(await files.json(ADAPTER_CONFIG));
  const tensors = await openSafetensors(await files.bytes(ADAPTER_WEIGHTS));
  checkAdapterTensors(adapter, config, tensors);
  return {
    ...adapter,
    tensors,
    async read(name) {
      const tensor = tensors.get(name);
      if (tensor === undefined) return null;
      const [, module, half] = TENSOR_NAME.exec(name)!;
      const [rows, columns] = tensor.shape;
      const values = await readFloat32(tensor);
      if (half === 'A') return padded(values, [1, values.length], adapter.rank * columns);
      const { scale } = adapter.traitsOf(module);
      const wide = padded(values, [rows, columns], adapter.rank);
      return scale === adapter.scale ? wide : wide.map((value) => value * (scale / adapter.scale));
    },
  };
}

type Floats = Float32Array<ArrayBuffer>;

/**
 * Pads each row with zeros to `width`, and so A and B to the rank. They do not change the product, and their gradients are zero.
 */
function padded(values: Floats, [rows, columns]: [number, number], width: number): Floats {
  const wide = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    wide.set(values.subarray(row * columns, (row + 1) * columns), row * width);
  }
  return wide;
}

/**
 * Writes an adapter as the two files that PEFT's `from_pretrained` reads.
 *
 * @param tensors A and B of every projection under PEFT's names
 */
export function adapterFiles(
  { rank, alpha, useRslora, baseModel }: AdapterConfig,
  tensors: readonly TensorToWrite[],
): Record<string, Blob> {
  const modules = tensors.map(({ name }) => name.split('.').at(-3)!);
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    r: rank,
    lora_alpha: alpha,
    lora_dropout: 0,
    use_rslora: useRslora,
    bias: 'none',
    fan_in_fan_out: false,
    target_modules: [...new Set(modules)],
    inference_mode: true,
  };
  return {
    [ADAPTER_CONFIG]: new Blob([JSON.stringify(config, null, 2)], { type: 'application/json' }),
    [ADAPTER_WEIGHTS]: writeSafetensors(tensors),
  };
}
