/**
 * Determines if a checkpoint's output head is its embedding. Some files contradict `tie_word_embeddings`: they have a separate
 * head with other values, or only `lm_head.weight`. As in transformers 5 the tensors decide.
 */
import type { ModelConfig } from '../config';
import { toFloat32 } from './half-floats';
import { elementsOf, type Checkpoint, type StoredTensor } from './safetensors';
import { PART_BYTES } from './weights-reader';

const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';

/** Compares two tensors of equal shape part by part, to limit memory. */
async function equalTensors(...pair: [StoredTensor, StoredTensor]): Promise<boolean> {
  const elements = elementsOf(pair[0]);
  const most = PART_BYTES / 4;
  for (let begin = 0; begin < elements; begin += most) {
    const end = Math.min(elements, begin + most);
    const [left, right] = await Promise.all(
      pair.map(async ({ size, dtype, read }) => {
        const bytes = size / elements;
        return toFloat32(await read(begin * bytes, end * bytes), dtype);
      }),
    );
    if (left.some((value, index) => value !== right[index])) return false;
  }
  return true;
}

/**
 * Resolves a tied head by the tensors: unties it if `lm_head.weight` differs from the embedding, and reads `lm_head.weight` as
 * the embedding if the file has no other.
 */
export async function resolveHead(
  config: ModelConfig,
  checkpoint: Checkpoint,
): Promise<{ config: ModelConfig; checkpoint: Checkpoint }> {
  const embedding = checkpoint.get(EMBEDDING);
  const head = checkpoint.get(HEAD);
  if (!config.tiedHead || head === undefined) return { config, checkpoint };
  if (embedding === undefined) return { config, checkpoint: new Map(checkpoint).set(EMBEDDING, head) };
  // A head of another shape or dtype also unties the head; `checkTensors` then rejects it.
  const comparable =
    String(head.shape) === String(embedding.shape) &&
    [head, embedding].every(({ dtype }) => ['BF16', 'F16', 'F32'].includes(dtype));
  const tiedHead = comparable && (await equalTensors(embedding, head));
  return { config: { ...config, tiedHead }, checkpoint };
}
