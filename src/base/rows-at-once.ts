/** How many rows are decoded, and go forward and back, at once: the trainer cuts a batch by it. */

/** Most bytes of the keys and values of prompts and sampled tokens that a training step decodes together. */
const KEY_VALUE_BYTES = 512e6;

/** Most rows of an evaluation decoded together, and most bytes of their keys and values. */
const EVALUATION_ROWS = 64;
const EVALUATION_BYTES = 256e6;

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

/** Lengths in tokens: the longest prompt, and most new tokens. */
interface DecodedLengths {
  promptTokens: number;
  newTokens: number;
}

/**
 * How many prompts are decoded together, and how many samples of each, which share their prompt. Calls are of like size, so
 * that none runs nearly empty. Draws depend on it, so it does not depend on the machine.
 */
export function decodedTogether(
  shape: KeyValueShape,
  { prompts, samples, promptTokens, newTokens }: DecodedLengths & { prompts: number; samples: number },
): { prompts: number; samples: number } {
  const prompt = promptTokens * promptKeyValueBytes(shape);
  const sample = newTokens * keyValueBytes(shape);
  const fit = (room: number, bytes: number): number => Math.max(1, Math.floor(room / bytes));
  const most = fit(KEY_VALUE_BYTES, prompt + samples * sample);
  const ofOne = fit(KEY_VALUE_BYTES - prompt, sample);
  return {
    prompts: Math.ceil(prompts / Math.ceil(prompts / most)),
    samples: Math.ceil(samples / Math.ceil(samples / ofOne)),
  };
}

/** Rows of an evaluation decoded together, each with a prompt of its own. All counted as f32, which wasm holds. */
export function evaluationRows(shape: KeyValueShape, { promptTokens, newTokens }: DecodedLengths): number {
  const most = Math.floor(EVALUATION_BYTES / (promptKeyValueBytes(shape) * (promptTokens + newTokens)));
  return Math.max(1, Math.min(EVALUATION_ROWS, most));
}

/** Bytes of block inputs and tapes that stay on a GPU between forward and backward; beyond it they are computed again. */
export const KEPT_BYTES = 400e6;

/** The same on the CPU, whose heap ends at 4 GB. */
export const CPU_KEPT_BYTES = 900e6;

interface BlockShape {
  layers: number;
  hiddenSize: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
}

/** Floats that one token keeps while a block is run forward to be run backward. */
export function blockFloats({ hiddenSize, heads, kvHeads, headDim, intermediateSize }: BlockShape): number {
  // two norms, the sum after attention, the output; q, the mix of values; k and v; gate, up and their product
  return 4 * hiddenSize + 2 * heads * headDim + 2 * kvHeads * headDim + 3 * intermediateSize;
}

/** Bytes of logits that the head computes at once: 138 rows of a vocabulary of 151,936. */
export const LOGIT_BYTES = 80 * 1024 * 1024;

/** Lengths are rounded up to this at most. */
const BUCKET = 64;

/**
 * How many of a micro-batch's sequences go forward and back at once, where parts of it may do so one after another: no more
 * than keep the inputs of all their blocks, so that none goes forward again. Parts are alike, and hold whole groups of one
 * prompt or equal shares of one.
 *
 * @param longest tokens of the longest sequence
 */
export function keptTogether(
  { layers, hiddenSize }: { layers: number; hiddenSize: number },
  longest: number,
  { microBatch, samplesPerPrompt }: { microBatch: number; samplesPerPrompt: number },
): number {
  const bytes = 4 * BUCKET * Math.ceil(longest / BUCKET) * hiddenSize * (layers + 1);
  let together = Math.min(microBatch, Math.max(1, Math.floor(KEPT_BYTES / bytes)));
  const isEven = (size: number): boolean =>
    microBatch % size === 0 && (size % samplesPerPrompt === 0 || samplesPerPrompt % size === 0);
  while (together < microBatch && !isEven(together)) together -= 1;
  return together;
}

/**
 * How many sequences of a micro-batch go forward and back at once on the CPU: all where inputs and tapes of all blocks fit,
 * else the samples of one prompt, whose tapes then have the whole room. A GPU takes `keptTogether`.
 *
 * @param tokens of the micro-batch, those of a shared prompt once
 * @param longest tokens of the longest sequence
 */
export function keptTogetherOnCpu(
  shape: BlockShape,
  tokens: number,
  longest: number,
  sizes: { microBatch: number; samplesPerPrompt: number },
): number {
  const { microBatch, samplesPerPrompt } = sizes;
  const inputs = 4 * shape.hiddenSize * (shape.layers + 1);
  const all = tokens * (inputs + 4 * shape.layers * blockFloats(shape));
  if (all <= CPU_KEPT_BYTES) return microBatch;
  const isWhole = microBatch % samplesPerPrompt === 0;
  return isWhole && samplesPerPrompt * longest * inputs <= CPU_KEPT_BYTES
    ? samplesPerPrompt
    : keptTogether(shape, longest, sizes);
}
