/** Trainable parameters under the names of the checkpoint: all tensors of the model, or those of its adapter. */
import type { ModelConfig } from '../config';
import { adaptable, adapterTensorName } from '../lora';
import { layerTensors } from '../files/tensor-table';
import { slotOf, type LayerWeights, type TensorSlot, type TransformerWeights } from '../weights';

/** A trainable parameter: consecutive elements of a tensor of the weights. */
export interface Parameter {
  name: string;
  shape: readonly number[];
  /** The slot of the tensor. */
  slot: TensorSlot;
  /** Offset in the tensor, in elements. */
  offset: number;
}

/** Parameters by the part of the model whose backward pass yields their gradients. */
export interface TrainableParts {
  embedding: Parameter[];
  layers: Parameter[][];
  /** Final norm and head. A tied head is in `embedding` only and receives gradients from head and embedding. */
  head: Parameter[];
}

function whole(name: string, slot: TensorSlot): Parameter {
  return { name, shape: slot.read().shape, slot, offset: 0 };
}

function layerParameters(layer: LayerWeights, index: number, config: ModelConfig): Parameter[] {
  return layerTensors(config).map((tensor): Parameter => {
    const name = `model.layers.${index}.${tensor.name}`;
    if (tensor.part === 'norm') return whole(name, slotOf(layer, tensor.field));
    const { field, part, shape, firstRow } = tensor;
    const slot = part === 'weight' ? slotOf(layer[field].weight, 'data') : slotOf(layer[field], 'bias');
    return { name, shape, slot, offset: firstRow * (shape[1] ?? 1) };
  });
}

/** All tensors of a fully trained model, in the order of `layerTensors`. */
export function fullParameters(weights: TransformerWeights, config: ModelConfig): TrainableParts {
  const { embedding, head } = weights;
  return {
    embedding: [whole('model.embed_tokens.weight', slotOf(embedding, 'data'))],
    layers: weights.layers.map((layer, index) => layerParameters(layer, index, config)),
    head: [
      whole('model.norm.weight', slotOf(weights, 'finalNorm')),
      ...(head === embedding ? [] : [whole('lm_head.weight', slotOf(head, 'data'))]),
    ],
  };
}

/** A and B of every projection with an adapter, under PEFT's names. */
export function loraParameters(weights: TransformerWeights, config: ModelConfig): TrainableParts {
  const layers = weights.layers.map((layer, index) =>
    adaptable(config).flatMap((matrix): Parameter[] => {
      const { field, segment, firstRow, shape } = matrix;
      const { adapter } = layer[field];
      if (!adapter?.adapted[segment]) return [];
      const [outputs, inputs] = shape;
      const rank = adapter.b.shape[1];
      return [
        {
          name: adapterTensorName(index, matrix, 'A'),
          shape: [rank, inputs],
          slot: slotOf(adapter.a, 'data'),
          offset: segment * rank * inputs,
        },
        {
          name: adapterTensorName(index, matrix, 'B'),
          shape: [outputs, rank],
          slot: slotOf(adapter, 'b'),
          offset: firstRow * rank,
        },
      ];
    }),
  );
  return { embedding: [], layers, head: [] };
}
