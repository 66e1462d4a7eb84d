/**
 * Parses a LoRA adapter's `adapter_config.json` in PEFT's format (`peft/tuners/lora/config.py`). A setting that needs arithmetic
 * that Marble does not implement causes an error with its name.
 */
import { MarbleError } from '../../base/error';
import { patternFault } from '../../base/pattern-limits';
import { isRecord, shown } from '../../base/untrusted';
import { names } from '../config-fields';

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

/** Rank and scale of a module, such as `model.layers.0.self_attn.q_proj`, with `rank_pattern` and `alpha_pattern`. */
type TraitsOf = (module: string) => { rank: number; scale: number };

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

function refuse(message: string): MarbleError {
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
export function parseAdapterConfig(json: unknown): AdapterConfig & { traitsOf: TraitsOf } {
  if (!isRecord(json)) throw refuse(`its content is ${shown(json)}, not an object.`);
  for (const [name, value] of Object.entries(json)) {
    const required = Object.hasOwn(REQUIRED_VALUES, name) ? REQUIRED_VALUES[name] : [];
    if (!HARMLESS.includes(name) && !isOff(value) && !required.includes(value)) {
      throw refuse(`${name} is ${shown(value)}, which Marble does not compute.`);
    }
  }
  const { r, lora_alpha: alpha, use_rslora: useRslora = false, base_model_name_or_path: baseModel } = json;
  if (!isRank(r)) throw refuse(`r is ${shown(r)}, not a whole number from 1 to ${LARGEST_RANK}.`);
  if (!isAlpha(alpha))
    throw refuse(`lora_alpha is ${shown(alpha)}, not a number of at most ${LARGEST_ALPHA}.`);
  if (typeof useRslora !== 'boolean') throw refuse(`use_rslora is ${shown(useRslora)}.`);
  const ranks = readPatterns(json, 'rank_pattern', isRank);
  const alphas = readPatterns(json, 'alpha_pattern', isAlpha);
  if (alpha === 0 && alphas.length > 0) throw refuse('lora_alpha is 0 beside an alpha_pattern.');
  const rank = Math.max(r, ...ranks.map(([, value]) => value));
  /** The value of the first matching pattern. */
  const valueAt = (patterns: readonly Pattern[], module: string): number | undefined =>
    patterns.find(([matches]) => matches.test(module))?.[1];
  return {
    rank,
    // Keeps the scale, alpha / rank or alpha / sqrt(rank), of the modules without a pattern.
    alpha: rank === r ? alpha : alpha * (useRslora ? Math.sqrt(rank / r) : rank / r),
    useRslora,
    baseModel: typeof baseModel === 'string' ? baseModel : null,
    traitsOf(module) {
      const rank = valueAt(ranks, module) ?? r;
      return { rank, scale: adapterScale({ rank, alpha: valueAt(alphas, module) ?? alpha, useRslora }) };
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
  if (!isRecord(patterns)) throw refuse(`${name} is ${shown(patterns)}, not an object.`);
  const entries = Object.entries(patterns);
  if (entries.length > MOST_PATTERNS)
    throw refuse(`${name} has ${entries.length} entries; the limit is ${MOST_PATTERNS}.`);
  if (entries.filter(([key]) => /[*+?{|]/.test(key)).length > MOST_CHOICES)
    throw refuse(`${name} has more than ${MOST_CHOICES} entries with choices or repetitions.`);
  return entries.map(([key, value]) => {
    if (!isValue(value)) throw refuse(`${name} has ${shown(value)} for ${shown(key)}.`);
    // Names of modules are short, so that a few repetitions take no time.
    const fault =
      key.length > LONGEST_PATTERN ? `has ${key.length} characters` : patternFault(`(${key})$`, 2, 64);
    if (fault !== null) throw refuse(`${name} has ${shown(key)}, which ${fault} and could take forever.`);
    try {
      return [new RegExp(`^(.*\\.)?(${key})$`), value];
    } catch {
      throw refuse(`${name} has ${shown(key)}, which is no regular expression.`);
    }
  });
}

/** Factor of the product B A x. */
export function adapterScale({
  rank,
  alpha,
  useRslora,
}: Pick<AdapterConfig, 'rank' | 'alpha' | 'useRslora'>): number {
  return useRslora ? alpha / Math.sqrt(rank) : alpha / rank;
}
