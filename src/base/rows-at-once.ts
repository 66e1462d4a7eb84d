/** Memory-bounded batch sizes for decoding and for the forward and backward pass. */

/** Limit in bytes on the KV cache, prompts and sampled tokens, that a training step decodes together. */
const KEY_VALUE_BYTES = 512e6;

/** Limits of an evaluation on the rows decoded together and on the bytes of their KV cache. */
const EVALUATION_ROWS = 64;
const EVALUATION_BYTES = 256e6;

interface KeyValueShape {
  layers: number;
  kvHeads: number;
  headDim: number;
}

/**
 * Format of the KV cache of sampled tokens on a GPU. Heads of at least 64 use bf16, since models with such heads store their
 * weights as bf16 too.
 */
export function keyValueFormat({ headDim }: Pick<KeyValueShape, 'headDim'>): 'f32' | 'bf16' {
  return headDim >= 64 && headDim % 4 === 0 ? 'bf16' : 'f32';
}

/** Bytes of the KV cache of one prompt position in all layers. It is f32, since all samples of the prompt share it. */
export function promptKeyValueBytes({ layers, kvHeads, headDim }: KeyValueShape): number {
  return 2 * 4 * layers * kvHeads * headDim;
}

/** Bytes of the KV cache of one sampled position in all layers, in the GPU's format. */
export function keyValueBytes(shape: KeyValueShape): number {
  return promptKeyValueBytes(shape) / (keyValueFormat(shape) === 'bf16' ? 2 : 1);
}

/** Lengths in tokens: that of the longest prompt and the limit on new tokens. */
interface DecodedLengths {
  promptTokens: number;
  newTokens: number;
}

/**
 * Number of prompts decoded together and number of samples of each; samples share their prompt's KV cache. The calls have
 * nearly equal sizes, which avoids a nearly empty last call. The random draws depend on the result, therefore it does not
 * depend on the machine.
 */
export function decodedTogether(
  shape: KeyValueShape,
  { prompts, samples, promptTokens, newTokens }: DecodedLengths & { prompts: number; samples: number },
): { prompts: number; samples: number } {
  const prompt = promptTokens * promptKeyValueBytes(shape);
  const sample = newTokens * keyValueBytes(shape);
  const fit = (room: number, bytes: number): number => Math.max(1, Math.floor(room / bytes));
  const mostPrompts = fit(KEY_VALUE_BYTES, prompt + samples * sample);
  const mostSamples = fit(KEY_VALUE_BYTES - prompt, sample);
  return {
    prompts: Math.ceil(prompts / Math.ceil(prompts / mostPrompts)),
    samples: Math.ceil(samples / Math.ceil(samples / mostSamples)),
  };
}

/** Rows of an evaluation decoded together; each row has its own prompt. Counts the KV cache as f32, its format on wasm. */
export function evaluationRows(shape: KeyValueShape, { promptTokens, newTokens }: DecodedLengths): number {
  const most = Math.floor(EVALUATION_BYTES / (promptKeyValueBytes(shape) * (promptTokens + newTokens)));
  return Math.max(1, Math.min(EVALUATION_ROWS, most));
}

/** Limit in bytes on block inputs and tapes kept on a GPU from forward to backward. Beyond it blocks are recomputed. */
export const KEPT_BYTES = 400e6;

/** `KEPT_BYTES` for the CPU, where the wasm heap is limited to 4 GB. */
export const CPU_KEPT_BYTES = 900e6;

interface BlockShape {
  layers: number;
  hiddenSize: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
}

/** Floats of the tape of one block for one token: the activations that its backward pass reads. */
export function blockFloats({ hiddenSize, heads, kvHeads, headDim, intermediateSize }: BlockShape): number {
  // two norms, the residual sum after attention, the output; q and the attention output; k and v; gate, up and their product
  return 4 * hiddenSize + 2 * heads * headDim + 2 * kvHeads * headDim + 3 * intermediateSize;
}

/** Limit in bytes on the logits that the head computes at once: 138 rows of a vocabulary of 151,936. */
export const LOGIT_BYTES = 80 * 1024 * 1024;

/** Rows of a chunk whose logits fit into `logitBytes`. */
export const rowsPerChunk = (vocabulary: number, logitBytes = LOGIT_BYTES): number =>
  Math.max(1, Math.floor(logitBytes / (4 * vocabulary)));

/** Largest multiple, in tokens, to which a backend rounds lengths up (`lengthBucket` in `src/model/batch.ts`). */
const BUCKET = 64;

/**
 * Number of a micro-batch's sequences that run forward and backward together on a GPU. The rest of the micro-batch follows
 * in parts of the same size. The inputs of all blocks of a part fit into `KEPT_BYTES`, which avoids a second forward pass.
 * A part holds whole groups of samples of one prompt, or an equal share of one group.
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
 * Number of a micro-batch's sequences that run forward and backward together on the CPU: all of them if the inputs and tapes
 * of all blocks fit into `CPU_KEPT_BYTES`, otherwise the samples of one prompt. A GPU uses `keptTogether`.
 *
 * @param tokens of the micro-batch, counting a shared prompt once
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
