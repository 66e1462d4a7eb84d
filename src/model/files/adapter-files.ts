/**
 * Reads and writes LoRA adapters in PEFT's layout: `adapter_config.json` and `adapter_model.safetensors`, with tensor names such
 * as `base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight`. A is [rank, inputs], B is [outputs, rank].
 */
import { MarbleError } from '../../base/error';
import { adapterScale, parseAdapterConfig, type AdapterConfig } from './adapter-config';
import type { ModelConfig } from '../config';
import { readFloat32 } from './half-floats';
import { openSafetensors, writeSafetensors, type Checkpoint, type TensorToWrite } from './safetensors';
import type { ModelFiles } from '../source/source';
import { expectedTensors } from './tensor-table';

const ADAPTER_CONFIG = 'adapter_config.json';
const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

export interface AdapterFile extends AdapterConfig {
  /** Factor of the product B A x. */
  scale: number;
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
  { baseModel, traitsOf }: ReturnType<typeof parseAdapterConfig>,
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
  const scale = adapterScale(adapter);
  return {
    ...adapter,
    scale,
    tensors,
    async read(name) {
      const tensor = tensors.get(name);
      if (tensor === undefined) return null;
      const [, module, half] = TENSOR_NAME.exec(name)!;
      const [rows, columns] = tensor.shape;
      const values = await readFloat32(tensor);
      if (half === 'A') return padded(values, [1, values.length], adapter.rank * columns);
      const moduleScale = adapter.traitsOf(module).scale;
      const wide = padded(values, [rows, columns], adapter.rank);
      return moduleScale === scale ? wide : wide.map((value) => value * (moduleScale / scale));
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
