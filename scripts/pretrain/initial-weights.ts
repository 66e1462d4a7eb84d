import type { ModelConfig } from '../../src/model/config';
import { randomSupply, type TensorSupply } from '../../src/model/files/build-weights';

/**
 * Initial weights for training from nothing, normal and scaled by the tensor's role. With d the hidden size and L the
 * layers: the embedding (and head) d^-1/2, matrices .7 d^-1/2, and those that write into the residual stream
 * (`o_proj`, `down_proj`) .7 d^-1/2 / sqrt(2 L), so that the 2 L writes together add about what one would (GPT-2's rule).
 */
export function initialWeights({ hiddenSize, layers }: ModelConfig, seed: number): TensorSupply {
  const unit = 1 / Math.sqrt(hiddenSize);
  return randomSupply(seed, (name) => {
    if (!name.startsWith('model.layers.')) return unit;
    const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
    return writesResidual ? (0.7 * unit) / Math.sqrt(2 * layers) : 0.7 * unit;
  });
}
