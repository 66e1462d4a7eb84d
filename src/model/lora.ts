/**
 * Low-rank adapters (Hu et al. 2021): y = W x + (alpha / rank) B A x on all seven projections of every layer. A starts
 * as in PEFT (Kaiming uniform with a = sqrt(5), that is uniform within 1 / sqrt(inputs)), B at zero, so that the
 * adapter changes nothing before the first update. The reference policy is the model with the adapter off, or where a
 * saved adapter is trained on, a frozen copy of that adapter.
 */
import * as tf from '@tensorflow/tfjs-core';
import { createRandom } from '../random';
import type { Float32Weight } from '../ops/weight';
import type { ModelConfig } from './config';
import { projectionShapes, projections, type TransformerWeights } from './weights';

export interface LoraConfig {
  rank: number;
  alpha: number;
  /** Of the start of A. */
  seed?: number;
}

function trained(values: Float32Array, outputs: number, inputs: number): Float32Weight {
  const data = tf.keep(tf.tensor2d(values, [outputs, inputs]));
  return { format: 'f32', data, outputs, inputs, trainable: true };
}

/** Puts a fresh adapter on every projection. */
export function attachLora(weights: TransformerWeights, config: ModelConfig, lora: LoraConfig): void {
  const shapes = projectionShapes(config);
  weights.layers.forEach((layer, index) => {
    projections.forEach(([key], position) => {
      const [outputs, inputs] = shapes[key];
      const random = createRandom(lora.seed ?? 0, 0x10a, index * projections.length + position);
      const bound = 1 / Math.sqrt(inputs);
      const a = Float32Array.from({ length: lora.rank * inputs }, () => (2 * random.uniform() - 1) * bound);
      layer[key].lora = {
        a: trained(a, lora.rank, inputs),
        b: trained(new Float32Array(outputs * lora.rank), outputs, lora.rank),
        scale: lora.alpha / lora.rank,
      };
    });
  });
}

/** Puts an adapter's own matrices on the projections that have them. `read` returns null for one without. */
export async function attachSavedLora(
  weights: TransformerWeights,
  config: ModelConfig,
  { rank, scale }: { rank: number; scale: number },
  read: (name: string) => Promise<Float32Array | null>,
): Promise<void> {
  const shapes = projectionShapes(config);
  for (const [index, layer] of weights.layers.entries()) {
    for (const [key, name] of projections) {
      const [outputs, inputs] = shapes[key];
      const prefix = `base_model.model.model.layers.${index}.${name}`;
      const a = await read(`${prefix}.lora_A.weight`);
      const b = await read(`${prefix}.lora_B.weight`);
      if (a && b) layer[key].lora = { a: trained(a, rank, inputs), b: trained(b, outputs, rank), scale };
    }
  }
}
