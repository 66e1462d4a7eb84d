/**
 * Determines if a checkpoint's output head is its embedding. Some files contradict `tie_word_embeddings`: they have a separate
 * head with other values, or only `lm_head.weight`. As in transformers 5 the tensors decide.
 */
import type { ModelConfig } from '../config';
import { toFloat32 } from './half-floats';
import { PART_BYTES, type WeightsReader } from './weights-reader';

const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';

/** Compares two tensors of equal shape part by part, to limit memory. */
async function equalTensors(checkpoint: WeightsReader, a: string, b: string): Promise<boolean> {
  const [first, second] = [a, b].map((name) => checkpoint.tensors.get(name)!);
  const elements = first.shape.reduce((product, length) => product * length, 1);
  const most = PART_BYTES / 4;
  for (let begin = 0; begin < elements; begin += most) {
    const end = Math.min(elements, begin + most);
    const [left, right] = await Promise.all(
      [first, second].map(async (entry) => {
        const bytes = (entry.end - entry.begin) / elements;
        return toFloat32(await checkpoint.read(entry.name, begin * bytes, end * bytes), entry.dtype);
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
  checkpoint: WeightsReader,
): Promise<{ config: ModelConfig; checkpoint: WeightsReader }> {
  const embedding = checkpoint.tensors.get(EMBEDDING);
  const head = checkpoint.tensors.get(HEAD);
  if (!config.tiedHead || head === undefined) return { config, checkpoint };
  if (embedding === undefined) {
    const tensors = new Map(checkpoint.tensors).set(EMBEDDING, head);
    const stored = (name: string): string => (name === EMBEDDING ? HEAD : name);
    const renamed: WeightsReader = {
      ...checkpoint,
      tensors,
      read: (name, begin, end) => checkpoint.read(stored(name), begin, end),
      readFloat32: (name) => checkpoint.readFloat32(stored(name)),
    };
    return { config, checkpoint: renamed };
  }
  // A head of another shape or dtype also unties the head; `checkTensors` then rejects it.
  const comparable =
    String(head.shape) === String(embedding.shape) &&
    [head, embedding].every(({ dtype }) => ['BF16', 'F16', 'F32'].includes(dtype));
  const tiedHead = comparable && (await equalTensors(checkpoint, EMBEDDING, HEAD));
  return { config: { ...config, tiedHead }, checkpoint };
}
