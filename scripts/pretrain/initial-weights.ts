import type { ModelConfig } from '../../src/model/config';
import { randomSupply, type TensorSupply } from '../../src/model/files/build-weights';

/**
 * Initial weights for training from scratch: normal, with a scale that depends on the tensor. With hidden size d and L
 * layers: d^-1/2 for the embedding (and head), .7 d^-1/2 for matrices, and .7 d^-1/2 / sqrt(2 L) for those that write
 * into the residual stream (`o_proj`, `down_proj`), so that 2 L writes together add about as much as one would (GPT-2's
 * rule).
 */
export function initialWeights({ hiddenSize, layers }: ModelConfig, seed: number): TensorSupply {
  const unit = 1 / Math.sqrt(hiddenSize);
  return randomSupply(seed, (name) => {
    if (!name.startsWith('model.layers.')) return unit;
    const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
    return writesResidual ? (0.7 * unit) / Math.sqrt(2 * layers) : 0.7 * unit;
  });
}
