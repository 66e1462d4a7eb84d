/**
 * A LoRA adapter's `adapter_config.json` as PEFT writes it (`peft/tuners/lora/config.py`). As with a model's
 * configuration, a setting that changes the arithmetic and that Marble does not compute is refused by its name.
 */
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';
import { names } from '../config-fields';

export interface AdapterConfig {
  rank: number;
  alpha: number;
  /** Rank-stabilised: the product is scaled by alpha / sqrt(rank) in place of alpha / rank. */
  useRslora: boolean;
  /** The model that the adapter was trained on, as its author named it. */
  baseModel: string | null;
}

/** Read below, or without effect once the adapter's tensors are saved: which modules they are is in their names. */
const HARMLESS = names(`
  r lora_alpha lora_dropout use_rslora base_model_name_or_path revision peft_version inference_mode auto_mapping
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
  const { r, lora_alpha: alpha, base_model_name_or_path: baseModel, use_rslora: useRslora = false } = json;
  if (typeof r !== 'number' || !Number.isInteger(r) || r < 1 || r > LARGEST_RANK) {
    throw refuse(`r is ${shown(r)}, not a whole number from 1 to ${LARGEST_RANK}.`);
  }
  if (typeof alpha !== 'number' || !Number.isFinite(alpha)) {
    throw refuse(`lora_alpha is ${shown(alpha)}, not a number.`);
  }
  if (typeof useRslora !== 'boolean') throw refuse(`use_rslora is ${shown(useRslora)}.`);
  return { rank: r, alpha, useRslora, baseModel: typeof baseModel === 'string' ? baseModel : null };
}

/** What the product B A x is multiplied by. */
export function adapterScale({
  rank,
  alpha,
  useRslora,
}: Pick<AdapterConfig, 'rank' | 'alpha' | 'useRslora'>): number {
  return useRslora ? alpha / Math.sqrt(rank) : alpha / rank;
}
