/**
 * Low-rank adapters (Hu et al. 2021): y = W x + (alpha / rank) B A x on all seven projections of every layer. A is initialised
 * as in PEFT (Kaiming uniform with a = sqrt(5), that is uniform within 1 / sqrt(inputs)), B with zeros. The reference policy is
 * the model without the adapter, or, for a saved adapter, a frozen copy of that adapter.
 */
import * as tf from '@tensorflow/tfjs-core';
import { areFinite, requireFinite } from './files/finite';
import { createRandom } from '../base/random';
import type { ModelConfig } from './config';
import { projectionTensors, type ProjectionTensor } from './files/tensor-table';
import { projectionFields, type LayerAdapter, type LayerWeights, type TransformerWeights } from './weights';

export interface LoraConfig {
  rank: number;
  alpha: number;
  /** Seed of the initial A. */
  seed?: number;
}

/** One projection's A [rank, inputs] and B [outputs, rank]. */
interface Pair {
  a: Float32Array;
  b: Float32Array;
}

/** Name of an adapter's A or B tensor in PEFT. */
export function adapterTensorName(layer: number, { name }: ProjectionTensor, half: 'A' | 'B'): string {
  return `base_model.model.model.layers.${layer}.${name.replace(/\.weight$/, `.lora_${half}.weight`)}`;
}

/** Projections that can have an adapter. */
export function adaptable(config: ModelConfig): ProjectionTensor[] {
  return projectionTensors(config).filter(({ part }) => part === 'weight');
}

/** @param pairs A and B of the layer's projections; null for a projection without an adapter */
function attach(
  layer: LayerWeights,
  matrices: readonly ProjectionTensor[],
  pairs: readonly (Pair | null)[],
  { rank, scale }: { rank: number; scale: number },
): void {
  for (const field of projectionFields) {
    const projections = matrices.flatMap((matrix, index) =>
      matrix.field === field ? [{ pair: pairs[index], shape: matrix.shape }] : [],
    );
    if (projections.every(({ pair }) => pair === null)) continue;
    const joint = (half: 'a' | 'b'): Float32Array => {
      const width = (shape: readonly number[]): number => rank * shape[half === 'a' ? 1 : 0];
      const values = new Float32Array(projections.reduce((sum, { shape }) => sum + width(shape), 0));
      let offset = 0;
      for (const { pair, shape } of projections) {
        if (pair) values.set(pair[half], offset);
        offset += width(shape);
      }
      return values;
    };
    const { outputs, inputs } = layer[field].weight;
    const rows = projections.length * rank;
    const adapter: LayerAdapter = {
      a: {
        format: 'f32',
        data: tf.keep(tf.tensor2d(joint('a'), [rows, inputs])),
        outputs: rows,
        inputs,
        trainable: true,
      },
      b: tf.keep(tf.tensor2d(joint('b'), [outputs, rank])),
      scale,
      adapted: projections.map(({ pair }) => pair !== null),
    };
    layer[field].adapter = adapter;
  }
}

/** Attaches a new adapter to every projection. */
export function attachLora(weights: TransformerWeights, config: ModelConfig, lora: LoraConfig): void {
  const matrices = adaptable(config);
  const { rank, alpha, seed = 0 } = lora;
  weights.layers.forEach((layer, index) => {
    const pairs = matrices.map(({ shape: [outputs, inputs] }, position): Pair => {
      const random = createRandom(seed, 0x10a, index * matrices.length + position);
      const bound = 1 / Math.sqrt(inputs);
      return {
        a: Float32Array.from({ length: rank * inputs }, () => (2 * random.uniform() - 1) * bound),
        b: new Float32Array(outputs * rank),
      };
    });
    attach(layer, matrices, pairs, { rank, scale: alpha / rank });
  });
}

/**
 * Attaches a saved adapter. `read` returns null for a projection without an adapter.
 *
 * @throws MarbleError `model/weights-not-finite`
 */
export async function attachSavedLora(
  weights: TransformerWeights,
  config: ModelConfig,
  traits: { rank: number; scale: number },
  read: (name: string) => Promise<Float32Array | null>,
): Promise<void> {
  const matrices = adaptable(config);
  const readFinite = async (index: number, matrix: (typeof matrices)[number], part: 'A' | 'B') => {
    const name = adapterTensorName(index, matrix, part);
    const values = await read(name);
    if (values !== null) requireFinite(name, areFinite(values));
    return values;
  };
  for (const [index, layer] of weights.layers.entries()) {
    const pairs: (Pair | null)[] = [];
    for (const matrix of matrices) {
      const [a, b] = [await readFinite(index, matrix, 'A'), await readFinite(index, matrix, 'B')];
      pairs.push(a && b && { a, b });
    }
    attach(layer, matrices, pairs, traits);
  }
}
