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

/** Bytes of the keys and values of one position of a prompt in all layers: f32, since all samples of it share them. */
export function promptKeyValueBytes({ layers, kvHeads, headDim }: KeyValueShape): number {
  return 2 * 4 * layers * kvHeads * headDim;
}

/** The same of one sampled position. */
export function keyValueBytes(shape: KeyValueShape): number {
  return promptKeyValueBytes(shape) / (keyValueFormat(shape) === 'bf16' ? 2 : 1);
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
