/**
 * Puts a transformer's weights together from whatever supplies its tensors: a checkpoint or a random start.
 */
import * as tf from '@tensorflow/tfjs-core';
import { createRandom } from '../random';
import type { Weight } from '../ops/weight';
import { fused } from '../ops/twin';
import { openTensorWriter } from '../gpu/tensor-writer';
import { PART_BYTES, type CheckpointReader } from './checkpoint-file';
import type { ModelConfig } from './config';
import { toBfloat16Bytes, toFloat32 } from './half-floats';
import type { TensorDtype } from './safetensors';
import {
  projectionGroups,
  projectionShapes,
  projections,
  type LayerWeights,
  type Projection,
  type ProjectionName,
  type TransformerWeights,
} from './weights';

/** How weights are held: packed bf16 is half of f32, int8 half of that; both are frozen. */
export type WeightFormat = 'f32' | 'bf16' | 'int8';

/** A matrix of the checkpoint, by name. */
export interface MatrixName {
  name: string;
  outputs: number;
}

export interface TensorSupply {
  /** Matrices of the same inputs. Frozen ones may share one tensor, where each follows the one before. */
  matrices(names: readonly MatrixName[], inputs: number): Promise<Weight[]>;
  vector(name: string, size: number): Promise<tf.Tensor1D>;
}

const checkpointNames = Object.fromEntries(projections) as Record<ProjectionName, string>;

/** Tensors are asked for in the order of the layers and kept. */
export async function buildWeights(config: ModelConfig, supply: TensorSupply): Promise<TransformerWeights> {
  const shapes = projectionShapes(config);
  const { hiddenSize, headDim, vocabularySize } = config;
  const table = async (name: string): Promise<Weight> => {
    const [weight] = await supply.matrices([{ name, outputs: vocabularySize }], hiddenSize);
    return weight;
  };
  const embedding = await table('model.embed_tokens.weight');
  const layers: LayerWeights[] = [];
  for (let index = 0; index < config.layers; index++) {
    const prefix = `model.layers.${index}`;
    const vector = (name: string, size: number): Promise<tf.Tensor1D> =>
      supply.vector(`${prefix}.${name}.weight`, size);
    const inputNorm = await vector('input_layernorm', hiddenSize);
    const byName: Partial<Record<string, Projection>> = {};
    for (const group of projectionGroups) {
      const names = group.map((key) => ({
        name: `${prefix}.${checkpointNames[key]}.weight`,
        outputs: shapes[key][0],
      }));
      const weights = await supply.matrices(names, shapes[group[0]][1]);
      for (const [position, key] of group.entries()) {
        const biased = config.attentionBias && (key === 'q' || key === 'k' || key === 'v');
        const name = `${prefix}.${checkpointNames[key]}.bias`;
        byName[key] = {
          weight: weights[position],
          bias: biased ? await supply.vector(name, shapes[key][0]) : null,
          lora: null,
        };
      }
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
  const head = config.tiedHead ? embedding : await table('lm_head.weight');
  return { embedding, layers, finalNorm, head };
}

/**
 * Tensors of a checkpoint, read and moved in parts of whole rows, so that no more than a part is in the page's memory.
 * bf16 and int8 are for matrices only; vectors are always f32. A matrix that is stored in another dtype is rounded.
 * Frozen matrices of one input share a tensor, but for f32 on wasm and cpu, whose plain twins want each by itself.
 */
export function checkpointSupply(
  checkpoint: CheckpointReader,
  format: WeightFormat,
  trainable: boolean,
): TensorSupply {
  const dtypeOf = (name: string): TensorDtype => checkpoint.tensors.get(name)!.dtype;

  async function* partsOf({ name, outputs }: MatrixName): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { begin, end } = checkpoint.tensors.get(name)!;
    const rowBytes = (end - begin) / outputs;
    const rows = Math.max(1, Math.floor(PART_BYTES / rowBytes));
    for (let row = 0; row < outputs; row += rows) {
      yield await checkpoint.read(name, row * rowBytes, Math.min(outputs, row + rows) * rowBytes);
    }
  }

  /** All of `names`, one after the other, in one tensor. */
  const together = async (names: readonly MatrixName[], inputs: number): Promise<Weight> => {
    const outputs = names.reduce((sum, part) => sum + part.outputs, 0);
    if (format === 'bf16') {
      const words = openByteWriter(outputs * inputs * 2);
      for (const part of names) {
        for await (const bytes of partsOf(part))
          await words.append(toBfloat16Bytes(bytes, dtypeOf(part.name)));
      }
      return { format, data: await words.finish(), outputs, inputs };
    }
    if (format === 'int8') {
      const groups = Math.ceil(inputs / INT8_GROUP);
      const words = openByteWriter(outputs * inputs);
      const scales = openTensorWriter(outputs * groups, 'float32');
      let row = 0;
      for (const part of names) {
        for await (const bytes of partsOf(part)) {
          const quantised = quantise(toFloat32(bytes, dtypeOf(part.name)), inputs);
          await words.append(quantised.bytes);
          await scales.write(row * groups, quantised.scales);
          row += quantised.bytes.length / inputs;
        }
      }
      const data = await words.finish();
      return { format, data, scales: scales.finish(), outputs, inputs, group: INT8_GROUP };
    }
    const writer = openTensorWriter(outputs * inputs, 'float32');
    let offset = 0;
    for (const part of names) {
      for await (const bytes of partsOf(part)) {
        const values = toFloat32(bytes, dtypeOf(part.name));
        await writer.write(offset, values);
        offset += values.length;
      }
    }
    const flat = writer.finish();
    const data = tf.keep(tf.reshape<tf.Rank.R2>(flat, [outputs, inputs]));
    flat.dispose();
    return { format: 'f32', data, outputs, inputs, trainable };
  };

  return {
    async matrices(names, inputs) {
      if (trainable || (format === 'f32' && !fused())) {
        const apart: Weight[] = [];
        for (const name of names) apart.push(await together([name], inputs));
        return apart;
      }
      return consecutive(await together(names, inputs), names);
    },
    async vector(name) {
      return tf.keep(tf.tensor1d(await checkpoint.readFloat32(name)));
    },
  };
}

/** Each of several matrices that were stored one after the other. */
export function consecutive(joint: Weight, names: readonly MatrixName[]): Weight[] {
  let firstRow = 0;
  return names.map(({ outputs }) => {
    const part = { ...joint, outputs, firstRow };
    firstRow += outputs;
    return part;
  });
}

/** Fills an int32 tensor with bytes that come in pieces of any length. */
function openByteWriter(length: number): {
  append(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  finish(): Promise<tf.Tensor1D>;
} {
  const writer = openTensorWriter(Math.ceil(length / 4), 'int32');
  let word = 0;
  let left = new Uint8Array(0);
  const write = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const words = bytes.length >> 2;
    await writer.write(word, new Int32Array(bytes.buffer, bytes.byteOffset, words));
    word += words;
    left = bytes.slice(4 * words);
  };
  return {
    async append(bytes) {
      if (left.length === 0 && bytes.byteOffset % 4 === 0) {
        await write(bytes);
        return;
      }
      const joined = new Uint8Array(left.length + bytes.length);
      joined.set(left);
      joined.set(bytes, left.length);
      await write(joined);
    },
    async finish() {
      if (left.length > 0) {
        const last = new Uint8Array(4);
        last.set(left);
        await write(last);
      }
      return writer.finish();
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
): { bytes: Uint8Array<ArrayBuffer>; scales: Float32Array<ArrayBuffer> } {
  const rows = values.length / inputs;
  const groups = Math.ceil(inputs / INT8_GROUP);
  const scales = new Float32Array(rows * groups);
  const bytes = new Int8Array(values.length);
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
  return { bytes: new Uint8Array(bytes.buffer), scales };
}

/**
 * A trainable random start from a seed: matrices normal with `deviation`, norms at 1, biases at 0. Every tensor has a
 * stream of its own. Large models take 0.02; for a hidden size below 100 that is too little to learn from, and
 * 1 / sqrt(hidden size) does.
 */
export function randomSupply(seed: number, deviation: number): TensorSupply {
  let stream = 0;
  return {
    matrices(names, inputs) {
      const weights = names.map(({ outputs }): Weight => {
        const random = createRandom(seed, stream++);
        const values = Float32Array.from({ length: outputs * inputs }, () => random.normal() * deviation);
        const data = tf.keep(tf.tensor2d(values, [outputs, inputs]));
        return { format: 'f32', data, outputs, inputs, trainable: true };
      });
      return Promise.resolve(weights);
    },
    vector(name, size) {
      return Promise.resolve(tf.keep(name.endsWith('.bias') ? tf.zeros([size]) : tf.ones([size])));
    },
  };
}
