/** How many rows are decoded together: the trainer cuts a batch by it, and the memory plan foretells what that takes. */

/** Most bytes that the keys and values of sampled tokens may take at once. */
const KEY_VALUE_BYTES = 512e6;

/** Most rows of an evaluation decoded together. */
export const EVALUATION_ROWS = 64;

interface KeyValueShape {
  layers: number;
  kvHeads: number;
  headDim: number;
}

/** How a GPU holds keys and values of sampled tokens: heads of 64 and more are those of models that are stored as bf16 themselves. */
export function keyValueFormat({ headDim }: Pick<KeyValueShape, 'headDim'>): 'f32' | 'bf16' {
  return headDim >= 64 && headDim % 4 === 0 ? 'bf16' : 'f32';
}

/** Bytes of the keys and values of one sampled position in all layers. Those of prompts, which all samples share, are f32. */
export function keyValueBytes(shape: KeyValueShape): number {
  const { layers, kvHeads, headDim } = shape;
  return 2 * (keyValueFormat(shape) === 'bf16' ? 2 : 4) * layers * kvHeads * headDim;
}

/** How many prompts are decoded together, and how many samples of each: calls of like size, so that none runs nearly empty. */
export function decodedTogether(
  prompts: number,
  samples: number,
  rows: number,
): { prompts: number; samples: number } {
  const most = Math.max(1, Math.floor(rows / samples));
  return {
    prompts: Math.ceil(prompts / Math.ceil(prompts / most)),
    samples: Math.ceil(samples / Math.ceil(samples / Math.min(samples, rows))),
  };
}

/** Rows that may be decoded together: a function of the model and the limit alone, so that draws do not depend on the machine. */
export function rowsDecoded(shape: KeyValueShape, maxNewTokens: number): number {
  return Math.max(1, Math.floor(KEY_VALUE_BYTES / (keyValueBytes(shape) * maxNewTokens)));
}
