/** Builds a transformer's weights from a supply of tensors. */
import * as tf from '@tensorflow/tfjs-core';
import type { Weight } from '../../ops/lib/weight';
import type { WeightFormat } from '../../ops/lib/weight-load.wgsl';
import { openTensorWriter } from '../../gpu/tensor-writer';
import { PART_BYTES } from './weights-reader';
import type { ModelConfig } from '../config';
import { bfloat16Of, readFloat32, requireFinite, toFloat32 } from './half-floats';
import type { Checkpoint, TensorDtype } from './safetensors';
import { layerTensors, type ExpectedTensor } from './tensor-table';
import {
  projectionFields,
  type LayerProjection,
  type LayerWeights,
  type ProjectionField,
  type TransformerWeights,
} from '../weights';

/** Supplies tensors, which the caller owns. */
export interface TensorSupply {
  /** Concatenates the rows of matrices with the same inputs. */
  matrix(parts: readonly ExpectedTensor[]): Promise<Weight>;
  /** Concatenates vectors. */
  vector(parts: readonly ExpectedTensor[]): Promise<tf.Tensor1D>;
}

/** Builds the weights. It requests the tensors in the order of the layers. */
export async function buildWeights(config: ModelConfig, supply: TensorSupply): Promise<TransformerWeights> {
  const { hiddenSize, vocabularySize } = config;
  const table = (name: string): Promise<Weight> =>
    supply.matrix([{ name, shape: [vocabularySize, hiddenSize] }]);
  const embedding = await table('model.embed_tokens.weight');
  const layers: LayerWeights[] = [];
  for (let index = 0; index < config.layers; index++) layers.push(await buildLayer(config, index, supply));
  const finalNorm = await supply.vector([{ name: 'model.norm.weight', shape: [hiddenSize] }]);
  const head = config.tiedHead ? embedding : await table('lm_head.weight');
  return { embedding, layers, finalNorm, head };
}

async function buildLayer(config: ModelConfig, index: number, supply: TensorSupply): Promise<LayerWeights> {
  const tensors = layerTensors(config).map((tensor) => ({
    ...tensor,
    name: `model.layers.${index}.${tensor.name}`,
  }));
  const layer: Partial<LayerWeights> = { qNorm: null, kNorm: null };
  for (const tensor of tensors) {
    if (tensor.part === 'norm') layer[tensor.field] = await supply.vector([tensor]);
  }
  for (const field of projectionFields) layer[field] = await buildProjection(field);
  return layer as LayerWeights;

  async function buildProjection(field: ProjectionField): Promise<LayerProjection> {
    const partsOf = (part: 'weight' | 'bias'): ExpectedTensor[] =>
      tensors.filter((tensor) => tensor.field === field && tensor.part === part);
    const matrices = partsOf('weight');
    const biases = partsOf('bias');
    return {
      segments: matrices.map(({ shape: [outputs] }) => outputs),
      weight: await supply.matrix(matrices),
      bias: biases.length > 0 ? await supply.vector(biases) : null,
      adapter: null,
    };
  }
}

/** Shape of several tensors concatenated along the first axis. */
function jointShape(parts: readonly ExpectedTensor[]): number[] {
  const outputs = parts.reduce((sum, { shape }) => sum + shape[0], 0);
  return [outputs, ...parts[0].shape.slice(1)];
}

/**
 * Supplies the tensors of a checkpoint. It copies them in parts of whole rows, so the page's memory holds only one part.
 * With bf16 only matrices are bf16 and vectors are f32. A matrix stored in another dtype is rounded.
 *
 * Its methods reject with `model/weights-not-finite`.
 */
export function checkpointSupply(
  checkpoint: Checkpoint,
  format: WeightFormat,
  trainable: boolean,
): TensorSupply {
  async function* rowsOf({
    name,
    shape: [outputs],
  }: ExpectedTensor): AsyncGenerator<[Uint8Array<ArrayBuffer>, TensorDtype]> {
    const { size, dtype, read } = checkpoint.get(name)!;
    const rowBytes = size / outputs;
    const rows = Math.max(1, Math.floor(PART_BYTES / rowBytes));
    for (let row = 0; row < outputs; row += rows) {
      yield [await read(row * rowBytes, Math.min(outputs, row + rows) * rowBytes), dtype];
    }
  }

  return {
    async matrix(parts) {
      const [outputs, inputs] = jointShape(parts);
      const isPacked = format === 'bf16';
      const length = isPacked ? Math.ceil((outputs * inputs) / 2) : outputs * inputs;
      const writer = openTensorWriter(length, isPacked ? 'int32' : 'float32');
      for (const part of parts) {
        for await (const [bytes, dtype] of rowsOf(part)) {
          const values = isPacked ? bfloat16Of(bytes, dtype) : toFloat32(bytes, dtype);
          requireFinite(part.name, values);
          await writer.append(new Uint8Array(values.buffer, 0, values.byteLength));
        }
      }
      const flat = await writer.finish();
      if (isPacked) return { format, data: flat, outputs, inputs };
      const data = tf.keep(tf.reshape<tf.Rank.R2>(flat, [outputs, inputs]));
      flat.dispose();
      return { format, data, outputs, inputs, trainable };
    },
    async vector(parts) {
      const values = new Float32Array(jointShape(parts)[0]);
      let offset = 0;
      for (const { name, shape } of parts) {
        values.set(await readFloat32(checkpoint.get(name)!), offset);
        requireFinite(name, values);
        offset += shape[0];
      }
      return tf.keep(tf.tensor1d(values));
    },
  };
}
