/**
 * Puts a transformer's weights together from whatever supplies its tensors: a checkpoint or a random start.
 */
import * as tf from '@tensorflow/tfjs-core';
import { createRandom } from '../random';
import type { Weight } from '../ops/linear';
import { openTensorWriter } from '../gpu/tensor-writer';
import { PART_BYTES, type CheckpointReader } from './checkpoint-file';
import type { ModelConfig } from './config';
import { toBfloat16Words, toFloat32 } from './half-floats';
import {
  projectionShapes,
  projections,
  type LayerWeights,
  type Projection,
  type TransformerWeights,
} from './weights';

/** How weights are held: packed bf16 is half of f32, int8 half of that; both are frozen. */
export type WeightFormat = 'f32' | 'bf16' | 'int8';

export interface TensorSupply {
  matrix(name: string, outputs: number, inputs: number): Promise<Weight>;
  vector(name: string, size: number): Promise<tf.Tensor1D>;
}

/** Tensors are asked for in the order of the layers and kept. */
export async function buildWeights(config: ModelConfig, supply: TensorSupply): Promise<TransformerWeights> {
  const shapes = projectionShapes(config);
  const { hiddenSize, headDim, vocabularySize } = config;
  const embedding = await supply.matrix('model.embed_tokens.weight', vocabularySize, hiddenSize);
  const layers: LayerWeights[] = [];
  for (let index = 0; index < config.layers; index++) {
    const prefix = `model.layers.${index}`;
    const vector = (name: string, size: number): Promise<tf.Tensor1D> =>
      supply.vector(`${prefix}.${name}.weight`, size);
    const inputNorm = await vector('input_layernorm', hiddenSize);
    const byName: Partial<Record<string, Projection>> = {};
    for (const [key, name] of projections) {
      const [outputs, inputs] = shapes[key];
      const biased = config.attentionBias && (key === 'q' || key === 'k' || key === 'v');
      byName[key] = {
        weight: await supply.matrix(`${prefix}.${name}.weight`, outputs, inputs),
        bias: biased ? await supply.vector(`${prefix}.${name}.bias`, outputs) : null,
        lora: null,
      };
    }
    layers.push({
      inputNorm,
      ...(byName as Pick<LayerWeights, (typeof projections)[number][0]>),
      qNorm: config.headNorm ? await vector('self_attn.q_norm', headDim) : null,
      kNorm: config.headNorm ? await vector('self_attn.k_norm', headDim) : null,
      postNorm: await vector('post_attention_layernorm', hiddenSize),
    });
  }
  const finalNorm = await supply.vector('model.norm.weight', hiddenSize);
  const head = config.tiedHead
    ? embedding
    : await supply.matrix('lm_head.weight', vocabularySize, hiddenSize);
  return { embedding, layers, finalNorm, head };
}

/**
 * Tensors of a checkpoint, read and moved in parts of whole rows, so that no more than a part is in the page's memory.
 * bf16 and int8 are for matrices only; vectors are always f32. A matrix that is stored in another dtype is rounded.
 */
export function checkpointSupply(
  checkpoint: CheckpointReader,
  format: WeightFormat,
  trainable: boolean,
): TensorSupply {
  return {
    async matrix(name, outputs, inputs) {
      const { dtype, begin, end } = checkpoint.tensors.get(name)!;
      const rowBytes = (end - begin) / outputs;
      // whole words in every part: four rows at a time
      const rows = Math.max(4, Math.floor(PART_BYTES / rowBytes / 4) * 4);
      async function* parts(): AsyncGenerator<{ row: number; bytes: Uint8Array<ArrayBuffer> }> {
        for (let row = 0; row < outputs; row += rows) {
          const last = Math.min(outputs, row + rows);
          yield { row, bytes: await checkpoint.read(name, row * rowBytes, last * rowBytes) };
        }
      }
      if (format === 'bf16') {
        const writer = openTensorWriter(Math.ceil((outputs * inputs) / 2), 'int32');
        for await (const { row, bytes } of parts()) {
          await writer.write((row * inputs) / 2, toBfloat16Words(bytes, dtype));
        }
        return { format, data: writer.finish(), outputs, inputs };
      }
      if (format === 'int8') {
        const groups = Math.ceil(inputs / INT8_GROUP);
        const words = openTensorWriter(Math.ceil((outputs * inputs) / 4), 'int32');
        const scales = openTensorWriter(outputs * groups, 'float32');
        for await (const { row, bytes } of parts()) {
          const quantised = quantise(toFloat32(bytes, dtype), inputs);
          await words.write((row * inputs) / 4, quantised.words);
          await scales.write(row * groups, quantised.scales);
        }
        const data = words.finish();
        return { format, data, scales: scales.finish(), outputs, inputs, group: INT8_GROUP };
      }
      const writer = openTensorWriter(outputs * inputs, 'float32');
      for await (const { row, bytes } of parts()) await writer.write(row * inputs, toFloat32(bytes, dtype));
      const flat = writer.finish();
      const data = tf.keep(tf.reshape<tf.Rank.R2>(flat, [outputs, inputs]));
      flat.dispose();
      return { format: 'f32', data, outputs, inputs, trainable };
    },
    async vector(name) {
      return tf.keep(tf.tensor1d(await checkpoint.readFloat32(name)));
    },
  };
}

/** Values that share a scale: small enough for outliers, large enough that scales add only 1/16 of the bytes. */
const INT8_GROUP = 64;

/**
 * Symmetric int8 per group along the inputs: scale = max |w| / 127, byte = round(w / scale).
 *
 * @param values [rows * inputs]
 */
function quantise(
  values: Float32Array,
  inputs: number,
): { words: Int32Array<ArrayBuffer>; scales: Float32Array<ArrayBuffer> } {
  const rows = values.length / inputs;
  const groups = Math.ceil(inputs / INT8_GROUP);
  const scales = new Float32Array(rows * groups);
  const bytes = new Int8Array(Math.ceil(values.length / 4) * 4);
  for (let row = 0; row < rows; row++) {
    for (let group = 0; group < groups; group++) {
      const start = row * inputs + group * INT8_GROUP;
      const end = row * inputs + Math.min(inputs, (group + 1) * INT8_GROUP);
      let largest = 0;
      for (let e = start; e < end; e++) largest = Math.max(largest, Math.abs(values[e]));
      const scale = largest / 127;
      scales[row * groups + group] = scale;
      if (scale > 0) for (let e = start; e < end; e++) bytes[e] = Math.round(values[e] / scale);
    }
  }
  return { words: new Int32Array(bytes.buffer), scales };
}

/**
 * A trainable random start from a seed: matrices normal with `deviation`, norms at 1, biases at 0. Every tensor has a
 * stream of its own. Large models take 0.02; for a hidden size below 100 that is too little to learn from, and
 * 1 / sqrt(hidden size) does.
 */
export function randomSupply(seed: number, deviation: number): TensorSupply {
  let stream = 0;
  return {
    matrix(_name, outputs, inputs) {
      const random = createRandom(seed, stream++);
      const values = Float32Array.from({ length: outputs * inputs }, () => random.normal() * deviation);
      const data = tf.keep(tf.tensor2d(values, [outputs, inputs]));
      return Promise.resolve({ format: 'f32', data, outputs, inputs, trainable: true });
    },
    vector(name, size) {
      return Promise.resolve(tf.keep(name.endsWith('.bias') ? tf.zeros([size]) : tf.ones([size])));
    },
  };
}
