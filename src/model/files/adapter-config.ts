/**
 * A LoRA adapter's `adapter_config.json` as PEFT writes it (`peft/tuners/lora/config.py`). As with a model's
 * configuration, a setting that changes the arithmetic and that Marble does not compute is refused by its name.
 */
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';
import { names } from '../config-fields';

export interface AdapterConfig {
  /** The largest of the adapter: matrices of a smaller rank (`rank_pattern`) are padded with zeros. */
  rank: number;
  /** By which every product is scaled: matrices of another scale (`alpha_pattern`) are multiplied. */
  alpha: number;
  /** Rank-stabilised: the product is scaled by alpha / sqrt(rank) in place of alpha / rank. */
  useRslora: boolean;
  /** The model that the adapter was trained on, as its author named it. */
  baseModel: string | null;
}

/** Read below, or without effect once the adapter's tensors are saved: which modules they are is in their names. */
const HARMLESS = names(`
  r lora_alpha rank_pattern alpha_pattern lora_dropout use_rslora base_model_name_or_path revision peft_version inference_mode auto_mapping
  target_modules exclude_modules layers_pattern layers_to_transform ensure_weight_tying
  corda_config eva_config loftq_config lora_ga_config megatron_config megatron_core qalora_group_size runtime_config
`);

/** The values with which a setting is as Marble computes it; null, false, [] and {} always are. */
const REQUIRED_VALUES: Record<string, readonly unknown[]> = {
  peft_type: ['LORA'],
  task_type: ['CAUSAL_LM'],
  bias: ['none'],
  // PiSSA, OLoRA, CorDA and LoftQ change the base weights when they start; these do not.
  init_lora_weights: [true, 'gaussian', 'orthogonal', 'eva'],
};

const LARGEST_RANK = 4096;

function refuse(message: string): MarbleError {
  return new MarbleError(
    'model/adapter-config',
    `adapter_config.json: ${message}`,
    'Choose a plain LoRA adapter as PEFT saves it (adapter_config.json and adapter_model.safetensors).',
  );
}

/** Null, false and empty lists and objects switch a setting off. */
function isOff(value: unknown): boolean {
  return value == null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * @param json what `JSON.parse` made of the file
 * @throws MarbleError `model/adapter-config`, naming the setting
 */
export function parseAdapterConfig(json: unknown): AdapterConfig {
  if (!isRecord(json)) throw refuse(`it holds ${shown(json)}, not an object.`);
  if (json.peft_type !== 'LORA') throw refuse(`peft_type is ${shown(json.peft_type)}, not "LORA".`);
  for (const [name, value] of Object.entries(json)) {
    const required = Object.hasOwn(REQUIRED_VALUES, name) ? REQUIRED_VALUES[name] : [];
    if (!HARMLESS.includes(name) && !isOff(value) && !required.includes(value)) {
      throw refuse(`${name} is ${shown(value)}, which Marble does not compute.`);
    }
  }
  const { base_model_name_or_path: baseModel } = json;
  const { r, alpha, useRslora, ranks } = readNumbers(json);
  const rank = Math.max(r, ...ranks.map(([, value]) => value));
  // The scale of the modules that no pattern names: alpha / rank, or alpha / sqrt(rank).
  const kept = rank === r ? alpha : alpha * (useRslora ? Math.sqrt(rank / r) : rank / r);
  return { rank, alpha: kept, useRslora, baseModel: typeof baseModel === 'string' ? baseModel : null };
}

type Pattern = [matches: RegExp, value: number];

function readNumbers(json: Record<string, unknown>): {
  r: number;
  alpha: number;
  useRslora: boolean;
  ranks: Pattern[];
  alphas: Pattern[];
} {
  const { r, lora_alpha: alpha, use_rslora: useRslora = false } = json;
  if (!isRank(r)) throw refuse(`r is ${shown(r)}, not a whole number from 1 to ${LARGEST_RANK}.`);
  if (!isAlpha(alpha)) throw refuse(`lora_alpha is ${shown(alpha)}, not a number.`);
  if (typeof useRslora !== 'boolean') throw refuse(`use_rslora is ${shown(useRslora)}.`);
  const ranks = readPatterns(json, 'rank_pattern', isRank);
  const alphas = readPatterns(json, 'alpha_pattern', isAlpha);
  if (alpha === 0 && alphas.length > 0) throw refuse('lora_alpha is 0 beside an alpha_pattern.');
  return { r, alpha, useRslora, ranks, alphas };
}

function isRank(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LARGEST_RANK;
}

function isAlpha(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The regular expressions of a pattern and their values. PEFT's `get_pattern_key` matches them to the end of a module's name. */
function readPatterns(
  json: Record<string, unknown>,
  name: string,
  isValue: (value: unknown) => value is number,
): Pattern[] {
  const patterns = json[name] ?? {};
  if (!isRecord(patterns)) throw refuse(`${name} is ${shown(patterns)}, not an object.`);
  return Object.entries(patterns).map(([key, value]) => {
    if (!isValue(value)) throw refuse(`${name} has ${shown(value)} for ${shown(key)}.`);
    try {
      return [new RegExp(`^(.*\\.)?(${key})$`), value];
    } catch {
      throw refuse(`${name} has ${shown(key)}, which is no regular expression.`);
    }
  });
}

/**
 * Rank and scale of single modules, which `rank_pattern` and `alpha_pattern` change; the first pattern that matches counts.
 *
 * @param json an `adapter_config.json` that `parseAdapterConfig` takes
 * @returns both by the name of a module, as `model.layers.0.self_attn.q_proj`
 */
export function moduleTraits(
  json: Record<string, unknown>,
): (module: string) => { rank: number; scale: number } {
  const { r, alpha, useRslora, ranks, alphas } = readNumbers(json);
  const valueAt = (patterns: readonly Pattern[], module: string): number | undefined =>
    patterns.find(([matches]) => matches.test(module))?.[1];
  return (module) => {
    const rank = valueAt(ranks, module) ?? r;
    return { rank, scale: adapterScale({ rank, alpha: valueAt(alphas, module) ?? alpha, useRslora }) };
  };
}

/** What the product B A x is multiplied by. */
export function adapterScale({
  rank,
  alpha,
  useRslora,
}: Pick<AdapterConfig, 'rank' | 'alpha' | 'useRslora'>): number {
  return useRslora ? alpha / Math.sqrt(rank) : alpha / rank;
}
