/**
 * Batched sampling with a KV cache. The samples of a prompt share its cache (`prompt-caches.ts`), and each sample has a cache
 * of its new tokens. Token ids stay on the device between steps and are read back every `READBACK_INTERVAL` steps on a GPU,
 * and every step elsewhere. After a stop id a row repeats it until the readback. When enough rows are finished the batch is
 * compacted. Draws do not depend on the position of a row in the batch. Between readbacks the decoder waits for a slow device,
 * which allows pausing and stopping.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../gpu/engine';
import {
  compactKeyValueCache,
  createKeyValueCache,
  disposeKeyValueCache,
  type KeyValueCache,
} from '../../ops/decode-attention';
import { embedding } from '../../ops/embedding';
import { readAll } from '../../ops/flat';
import { rmsNorm } from '../../ops/rms-norm';
import { rotationAt } from '../../ops/rope';
import { sampleHead, type SampledTokens } from '../../ops/sample-head';
import { gather, keepRows } from '../../ops/gather';
import { yieldToMessages } from '../../base/waits';
import type { Completion, GenerateOptions } from '../policy';
import { promptIndices, type PromptCaches } from './prompt-caches';
import { newTokenBlock, type PassModel } from '../transformer';

/** Steps between readbacks on a GPU: a readback per token costs most of the speed. */
const READBACK_INTERVAL = 16;

/** The batch is compacted when at most this fraction of its rows is unfinished. */
const COMPACT_BELOW = 0.75;

/** Target duration of a wait. Pausing and stopping should take effect within a second. */
const WAIT_MS = 250;

/**
 * Controls how many steps are submitted to a device before the decoder waits for it. Pausing and stopping take effect only at a
 * wait, so the decoder waits often for a slow device. On a fast device waits are expensive and rare.
 *
 * @param most limit on the steps between two waits
 * @param waitMs duration of a wait for an idle device, which is subtracted from measurements
 * @param now monotonic clock in milliseconds
 */
export function createPace(most: number, waitMs = 0, now: () => number = () => performance.now()) {
  let allowed = 1;
  let sent = 0;
  let since = now();
  return {
    /** Counts a submitted step. Returns true if it is time to wait for the device. */
    step(): boolean {
      sent += 1;
      return sent >= allowed;
    },
    /** Must be called after a wait. */
    waited(): void {
      const perStep = Math.max(0.01, now() - since - waitMs) / Math.max(1, sent);
      allowed = Math.max(1, Math.min(most, 2 * allowed, Math.floor(WAIT_MS / perStep)));
      sent = 0;
      since = now();
    },
  };
}

export interface DecodeState {
  read: PromptCaches;
  /** Index of the prompt in `read` of each row of the original batch. */
  promptOfRow: readonly number[];
  /** KV cache of each layer. */
  caches: KeyValueCache[];
  /** Index of each row in the original batch: prompt * samples + sample. */
  rows: number[];
  /** `rows` on the device, [rows] int32 */
  rowIds: tf.Tensor1D;
}

/**
 * Samples completions of prompts with filled caches.
 *
 * @param prompts a subset of the prompts in `read`
 * @param engine for waiting until the device is idle
 */
export async function decode(
  model: PassModel,
  read: PromptCaches,
  prompts: readonly (readonly number[])[],
  options: GenerateOptions,
  engine: Pick<Engine, 'backend' | 'check' | 'waitMs'>,
): Promise<Completion[]> {
  const { samplesPerPrompt, maxNewTokens } = options;
  const state = openState(read, prompts, samplesPerPrompt, maxNewTokens);
  const tokens: number[][] = state.rows.map(() => []);
  const logprobs: number[][] = state.rows.map(() => []);
  const finished = new Uint8Array(state.rows.length);
  const report = async (position: number): Promise<void> =>
    options.onProgress?.(
      position + 1,
      finished.reduce((sum, one) => sum + one, 0),
    );
  const stop = new Set(options.stopIds);
  const stopIds = stop.size > 0 ? tf.tensor1d([...stop], 'int32') : null;
  const pending: SampledTokens[] = [];
  const interval = engine.backend === 'webgpu' ? READBACK_INTERVAL : 1;
  const pace = createPace(READBACK_INTERVAL, engine.waitMs);
  let ids: tf.Tensor1D | null = null;
  /** Reads the pending steps and adds them to the completions, up to each row's first stop id. */
  const readBack = async (): Promise<void> => {
    const values = await readAll(pending.flatMap((step) => [step.tokens, step.logprobs]));
    for (let at = 0; at < values.length; at += 2) {
      state.rows.forEach((row, index) => {
        if (finished[row]) return;
        const token = values[at][index];
        tokens[row].push(token);
        logprobs[row].push(values[at + 1][index]);
        if (stop.has(token)) finished[row] = 1;
      });
    }
  };
  try {
    for (let position = 0; position < maxNewTokens; position++) {
      const sampled: SampledTokens = sampleAt(position, model, state, ids, options, stopIds);
      if (pending.length === 0) ids?.dispose(); // otherwise its pending step disposes of it
      pending.push(sampled);
      ids = sampled.tokens;
      const isDue = pace.step();
      if (pending.length < interval && position + 1 < maxNewTokens) {
        if (!isDue) continue;
        await engine.check();
        pace.waited();
        await report(position);
        continue;
      }

      await readBack();
      pace.waited();
      await report(position);
      await yieldToMessages();
      const alive = state.rows.flatMap((row, index) => (finished[row] ? [] : [index]));
      const newest = pending.pop()!;
      for (const { tokens: read, logprobs: readLogprobs } of pending) tf.dispose([read, readLogprobs]);
      pending.length = 0;
      newest.logprobs.dispose();
      ids = newest.tokens;
      if (alive.length === 0) break;
      if (alive.length <= COMPACT_BELOW * state.rows.length) ids = compact(state, alive, ids);
    }
  } finally {
    ids?.dispose();
    for (const step of pending) tf.dispose([step.tokens, step.logprobs]);
    stopIds?.dispose();
    disposeState(state);
  }
  return tokens.map((row, index) => ({
    tokens: row,
    logprobs: Float32Array.from(logprobs[index]),
    finished: finished[index] === 1,
  }));
}

/**
 * @param samples rows of each prompt
 * @param capacity limit on the new tokens of each row
 */
export function openState(
  read: PromptCaches,
  prompts: readonly (readonly number[])[],
  samples: number,
  capacity: number,
): DecodeState {
  const promptOfRow = promptIndices(read, prompts).flatMap((index) => new Array<number>(samples).fill(index));
  const rows = promptOfRow.map((_, row) => row);
  const lengths = read.prompts.map((prompt) => prompt.length);
  return {
    read,
    promptOfRow,
    rows,
    rowIds: tf.tensor1d(Int32Array.from(rows), 'int32'),
    caches: read.layers.map((layer) => createKeyValueCache(layer, lengths, promptOfRow, capacity)),
  };
}

/**
 * Hidden states that predict the token at `position` of each completion.
 *
 * @param ids tokens at the previous position; null at position 0, which follows the prompts
 * @returns [rows, hidden], the output of the last block
 */
function hiddenAt(
  position: number,
  model: PassModel,
  { read, promptOfRow, rows, caches }: DecodeState,
  ids: tf.Tensor1D | null,
): tf.Tensor2D {
  if (ids === null) return gather(read.last, promptOfRow);
  return tf.tidy(() => {
    const positions = rows.map((row) => read.prompts[promptOfRow[row]].length + position - 1);
    const rotation = rotationAt(model.tables, Int32Array.from(positions));
    let x = embedding(ids, model.weights.embedding);
    caches.forEach((cache, layer) => {
      const input = x;
      x = newTokenBlock(model, layer, input, cache, rotation);
      input.dispose();
    });
    return x;
  });
}

/** Samples the token at `position` of each completion. A row whose newest token is a stop id repeats it. */
export function sampleAt(
  position: number,
  model: PassModel,
  state: DecodeState,
  ids: tf.Tensor1D | null,
  { temperature, seed, stream = 0 }: GenerateOptions,
  stopIds: tf.Tensor1D | null,
): SampledTokens {
  const { finalNorm, head } = model.weights;
  const x = hiddenAt(position, model, state, ids);
  const h = tf.tidy(() => rmsNorm(x, finalNorm, model.config.normEpsilon));
  const ended = ids && stopIds ? { newest: ids, stopIds } : undefined;
  const sampled = sampleHead(h, head, state.rowIds, { temperature, seed, stream, position }, ended);
  tf.dispose([x, h]);
  return sampled;
}

/** Keeps the rows at `alive` and returns their newest token ids. */
function compact(state: DecodeState, alive: readonly number[], ids: tf.Tensor1D): tf.Tensor1D {
  state.rows = alive.map((at) => state.rows[at]);
  state.rowIds = keepRows(state.rowIds, alive);
  for (const cache of state.caches) compactKeyValueCache(cache, alive);
  return keepRows(ids, alive);
}

export function disposeState(state: DecodeState): void {
  state.rowIds.dispose();
  for (const cache of state.caches) disposeKeyValueCache(cache);
}
