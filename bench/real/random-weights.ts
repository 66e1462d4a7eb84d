import { parseModelConfig } from '../../src/model/config';
import { writeSafetensors, type TensorToWrite } from '../../src/model/files/safetensors';
import { elementsOf } from '../../src/model/files/safetensors';
import { expectedTensors } from '../../src/model/files/tensor-table';

/** Files of a model with random bf16 weights. @param config as in config.json */
export function randomModelFiles(config: Record<string, unknown>): Record<string, Blob> {
  let state = 1;
  /** A bf16 of either sign between 2^-7 and 2^-4, by xorshift, because half a billion numbers are drawn. */
  const randomBits = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const exponent = 120 + ((state >>> 8) % 3);
    return ((state & 1) << 15) | (exponent << 7) | ((state >>> 16) & 0x7f);
  };
  const tensors = expectedTensors(parseModelConfig(config)).map((tensor): TensorToWrite => {
    const isNorm = tensor.name.endsWith('norm.weight');
    const bits = new Uint16Array(elementsOf(tensor));
    for (let i = 0; i < bits.length; i++) bits[i] = isNorm ? 0x3f80 : randomBits();
    return { ...tensor, dtype: 'BF16', data: new Uint8Array(bits.buffer) };
  });
  return {
    'config.json': new Blob([JSON.stringify(config)]),
    'model.safetensors': writeSafetensors(tensors),
  };
}
