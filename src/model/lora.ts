/**
 * Low-rank adapters (Hu et al. 2021): y = W x + (alpha / rank) B A x on all seven projections of every layer. A is initialised
 * as in PEFT (Kaiming uniform with a = sqrt(5), that is uniform within 1 / sqrt(inputs)), B with zeros. The reference policy is
 * the model without the adapter, or, for a saved adapter, a frozen copy of that adapter.
 */
import * as tf from '@tensorflow/tfjs-core';
import { requireFinite } from './files/half-floats';
import { createRandom } from '../base/random';
import type { ModelConfig } from './config';
import { projectionTensors, type ProjectionTensor } from './files/tensor-table';
import { projectionFields, type TransformerWeights } from './weights';

export interface LoraConfig {
  rank: number;
  alpha: number;
  /** Seed of the initial A. */
  seed?: number;
}

/** Name of an adapter's A or B tensor in PEFT. */
export function adapterTensorName(layer: number, { name }: ProjectionTensor, half: 'A' | 'B'): string {
  return `base_model.model.model.layers.${layer}.${name.replace(/\.weight$/, `.lora_${half}.weight`)}`;
}

/** Projections that can have an adapter. */
export function adaptable(config: ModelConfig): ProjectionTensor[] {
  return projectionTensors(config).filter(({ part }) => part === 'weight');
}

/** Reads the A [rank, inputs] or B [outputs, rank] of a projection; null for a projection without an adapter. */
type ReadHalf = (
  name: string,
  place: { half: 'A' | 'B'; shape: readonly number[]; index: number },
) => Promise<Float32Array | null>;

/** Initial values of a new adapter. */
export function newAdapter({ rank, seed = 0 }: LoraConfig): ReadHalf {
  return (_, { half, shape: [outputs, inputs], index }) => {
    if (half === 'B') return Promise.resolve(new Float32Array(outputs * rank));
    const random = createRandom(seed, 0x10a, index);
    const bound = 1 / Math.sqrt(inputs);
    const draw = (): number => (2 * random.uniform() - 1) * bound;
    return Promise.resolve(Float32Array.from({ length: rank * inputs }, draw));
  };
}

/**
 * Attaches a new or saved adapter.
 *
 * @throws MarbleError `model/weights-not-finite`
 */
export async function attachLora(
  weights: TransformerWeights,
  config: ModelConfig,
  { rank, scale }: { rank: number; scale: number },
  read: ReadHalf,
): Promise<void> {
  const matrices = adaptable(config);
  let index = 0;
  for (const [layerIndex, layer] of weights.layers.entries()) {
    for (const field of projectionFields) {
      const projections = matrices.filter((matrix) => matrix.field === field);
      const { outputs, inputs } = layer[field].weight;
      const rows = projections.length * rank;
      const a = new Float32Array(rows * inputs);
      const b = new Float32Array(outputs * rank);
      const adapted: boolean[] = [];
      for (const matrix of projections) {
        const { segment, firstRow, shape } = matrix;
        const put = async (half: 'A' | 'B', into: Float32Array, offset: number): Promise<boolean> => {
          const name = adapterTensorName(layerIndex, matrix, half);
          const values = await read(name, { half, shape, index });
          if (values === null) return false;
          requireFinite(name, values);
          into.set(values, offset);
          return true;
        };
        adapted.push((await put('A', a, segment * rank * inputs)) && (await put('B', b, firstRow * rank)));
        index++;
      }
      if (!adapted.includes(true)) continue;
      const data = tf.keep(tf.tensor2d(a, [rows, inputs]));
      layer[field].adapter = {
        a: { format: 'f32', data, outputs: rows, inputs, trainable: true },
        b: tf.keep(tf.tensor2d(b, [outputs, rank])),
        scale,
        adapted,
      };
    }
  }
}
