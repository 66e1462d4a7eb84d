/**
 * Prefilled prompts: the KV cache of all layers, shared by every decoding of these prompts, and the hidden state at each
 * prompt's last token, which predicts the first new token.
 */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../../base/error';
import type { Engine } from '../../gpu/engine';
import { layOutPrompts, type PromptKeyValues } from '../../ops/decode-attention';
import { flatten } from '../../ops/flat';
import { gather } from '../../ops/gather';
import { roundUp, wholeBatch } from '../batch';
import type { PassProgress, ReadPrompts } from '../policy';
import { forwardBlocks } from '../training/training-pass';
import type { PassModel } from '../transformer';

export interface PromptCaches extends ReadPrompts {
  prompts: readonly (readonly number[])[];
  /** KV cache of each layer. */
  layers: PromptKeyValues[];
  /** [prompts, hidden] */
  last: tf.Tensor2D;
}

interface ReadOptions {
  /** Prompts are padded to a multiple of this. */
  bucket: number;
  /** Limit on the tokens of a chunk, padding included. A single prompt may exceed it. */
  chunkTokens: number;
  /** Removes the padding from everything except attention. */
  withoutPadding: boolean;
  /** Awaited between chunks, before `onProgress`. */
  engine: Pick<Engine, 'check'>;
  onProgress?: PassProgress;
}

/** Prefills prompts in chunks. A single pass could occupy a slow device for minutes. */
export async function readPrompts(
  model: PassModel,
  prompts: readonly (readonly number[])[],
  { bucket, chunkTokens, withoutPadding, engine, onProgress }: ReadOptions,
): Promise<PromptCaches> {
  const longest = roundUp(Math.max(...prompts.map((prompt) => prompt.length)), bucket);
  const perChunk = Math.max(1, Math.floor(chunkTokens / longest));
  const keys: tf.Tensor4D[][] = model.weights.layers.map(() => []);
  const values: tf.Tensor4D[][] = model.weights.layers.map(() => []);
  const lasts: tf.Tensor2D[] = [];
  for (let start = 0; start < prompts.length; start += perChunk) {
    try {
      if (start > 0) {
        await engine.check();
        await onProgress?.(start / prompts.length);
      }
    } catch (reason) {
      tf.dispose([lasts, keys, values]);
      throw reason;
    }
    const batch = wholeBatch(prompts.slice(start, start + perChunk), longest, withoutPadding);
    const {
      hidden: [x],
    } = await forwardBlocks(model, batch, false, undefined, (layer, k, v) => {
      keys[layer].push(tf.keep(tf.clone(k)));
      values[layer].push(tf.keep(tf.clone(v)));
    });
    lasts.push(gather(x, batch.responseRows));
    x.dispose();
  }
  const join = <T extends tf.Tensor>(parts: T[]): T => {
    if (parts.length === 1) return parts[0];
    const [, ...rest] = parts[0].shape;
    const joined = tf.tidy(() => tf.reshape(flatten(parts), [prompts.length, ...rest]));
    tf.dispose(parts);
    return tf.keep(joined) as T;
  };
  const layers = keys.map((parts, layer) => layOutPrompts({ k: join(parts), v: join(values[layer]) }));
  const last = join(lasts);
  return {
    prompts,
    layers,
    last,
    dispose() {
      if (!last.isDisposed) tf.dispose([last, ...layers.flatMap(({ k, v }) => [k, v])]);
    },
  };
}

/**
 * Finds the index of each prompt in the caches.
 *
 * @throws MarbleError `model/prompt-not-read`
 */
export function promptIndices(caches: PromptCaches, prompts: readonly (readonly number[])[]): number[] {
  const indices = new Map(caches.prompts.map((prompt, index) => [prompt.join(), index]));
  return prompts.map((prompt) => {
    const index = indices.get(prompt.join());
    if (index !== undefined) return index;
    throw new MarbleError(
      'model/prompt-not-read',
      'A prompt is not among those of `read`.',
      'Pass it to `readPrompts` with the others, or omit `read`.',
    );
  });
}

/**
 * Caches of a handle of `Policy.readPrompts`.
 *
 * @param valid handles since the last change of the weights
 * @throws MarbleError `model/stale-prompts`
 */
export function cachesOf(handle: ReadPrompts, valid: WeakSet<ReadPrompts>): PromptCaches {
  const caches = handle as PromptCaches;
  if (valid.has(handle) && !caches.last.isDisposed) return caches;
  throw new MarbleError(
    'model/stale-prompts',
    'The weights have changed since the prompts were read, or the prompts were disposed of.',
    'Read the prompts again with `readPrompts`.',
  );
}
