/**
 * The weights in a run's checkpoint as files for other programs, without the model itself: a policy's state is one flat
 * array, in the order of its parameters, which follows from config.json and the kind of training alone.
 */
import { MarbleError } from '../error';
import { adapterFiles } from './adapter-files';
import type { ModelConfig } from './config';
import { writeSafetensors, type TensorToWrite } from './safetensors';
import { expectedTensors, type ExpectedTensor } from './tensor-table';
import { projections, projectionShapes } from './weights';

export type SavedTraining = { mode: 'full' } | { mode: 'lora'; rank: number; alpha: number };

/** Every trained tensor, in the order of `Policy.trainable` and of the flat state. */
export function trainedTensors(config: ModelConfig, training: SavedTraining): ExpectedTensor[] {
  return training.mode === 'full' ? fullTensors(config) : adapterTensors(config, training.rank);
}

/** A layer's tensors stand by projection, its bias behind each weight. */
function fullTensors(config: ModelConfig): ExpectedTensor[] {
  const byName = new Map(expectedTensors(config).map((tensor) => [tensor.name, tensor]));
  const ends = ['model.embed_tokens.weight', 'model.norm.weight', 'lm_head.weight'];
  const layers = Array.from({ length: config.layers }, (_, index) =>
    [
      'input_layernorm.weight',
      ...projections.flatMap(([, name]) => [`${name}.weight`, `${name}.bias`]),
      'self_attn.q_norm.weight',
      'self_attn.k_norm.weight',
      'post_attention_layernorm.weight',
    ].map((name) => `model.layers.${index}.${name}`),
  );
  return [ends[0], ...layers.flat(), ...ends.slice(1)].flatMap((name) => byName.get(name) ?? []);
}

function adapterTensors(config: ModelConfig, rank: number): ExpectedTensor[] {
  const shapes = projectionShapes(config);
  return Array.from({ length: config.layers }, (_, index) =>
    projections.flatMap(([key, name]) => {
      const [outputs, inputs] = shapes[key];
      const prefix = `base_model.model.model.layers.${index}.${name}`;
      return [
        { name: `${prefix}.lora_A.weight`, shape: [rank, inputs] },
        { name: `${prefix}.lora_B.weight`, shape: [outputs, rank] },
      ];
    }),
  ).flat();
}

/**
 * The files of what a run has trained: a PEFT adapter, or `model.safetensors` to put beside the model's other files.
 *
 * @param parameters `PolicyState.parameters`
 * @param baseModel what the adapter was trained on, for its configuration
 * @throws MarbleError `model/saved-weights` where the state is not of such a model
 */
export function savedWeights(
  config: ModelConfig,
  training: SavedTraining,
  parameters: Float32Array,
  baseModel: string | null,
): Record<string, Blob> {
  const table = trainedTensors(config, training);
  const size = ({ shape }: ExpectedTensor): number => shape.reduce((product, length) => product * length, 1);
  const whole = table.reduce((sum, tensor) => sum + size(tensor), 0);
  if (whole !== parameters.length) {
    throw new MarbleError(
      'model/saved-weights',
      `The checkpoint has ${parameters.length} trained values; this model has ${whole}.`,
      'The checkpoint belongs to another model: choose the one that the run was of.',
    );
  }
  let offset = 0;
  const tensors = table.map((tensor): TensorToWrite => {
    const data = parameters.slice(offset, (offset += size(tensor)));
    return { ...tensor, dtype: 'F32', data };
  });
  return training.mode === 'full'
    ? { 'model.safetensors': writeSafetensors(tensors) }
    : adapterFiles({ rank: training.rank, alpha: training.alpha, useRslora: false, baseModel }, tensors);
}
