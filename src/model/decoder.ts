/**
 * Batched sampling with a key/value cache. Every prompt is read once; its samples share the prompt's keys and values
 * and each has a suffix of its own. Token ids stay on the device from step to step and are read back every
 * `READBACK_INTERVAL` steps (every step where reading costs nothing). A row that has met a stop id repeats it until then;
 * when enough rows are done the batch is compacted. No draw depends on where in the batch a row stands. A slow device is
 * waited for more often, without reading, so that sampling can be paused and stopped.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../gpu/engine';
import {
  compactKeyValueCache,
  createKeyValueCache,
  disposeKeyValueCache,
  type KeyValueCache,
} from '../ops/decode-attention';
import { embedding } from '../ops/embedding';
import { copied, flatten } from '../ops/flat';
import { rmsNorm } from '../ops/rms-norm';
import { rotationAt } from '../ops/rope';
import { sampleHead, type Ended, type SampledTokens } from '../ops/sample-head';
import { takeRows } from '../ops/take-rows';
import { prefillTokens, roundUp } from './batch';
import { yieldToMessages } from './device/yield';
import { createPace } from './device/pace';
import type { Completion, GenerateOptions } from './policy';
import { newTokenBlock, sequenceBlock, type PassModel } from './transformer';

/** Steps between readbacks on a GPU: a readback per token costs most of the speed. */
const READBACK_INTERVAL = 16;

/** The batch is compacted when at most this share of its rows is still being sampled. */
const COMPACT_BELOW = 0.75;

export interface DecodeState {
  /** One per layer. */
  caches: KeyValueCache[];
  /** Number of each row in the whole batch: prompt * samples + sample. */
  rows: number[];
  /** The same on the device, [rows] int32 */
  rowIds: tf.Tensor1D;
}

/**
 * @param bucket prompts are padded to a multiple of it
 * @param engine is waited for
 */
export async function decode(
  model: PassModel,
  prompts: readonly (readonly number[])[],
  options: GenerateOptions,
  bucket: number,
  engine: Pick<Engine, 'backend' | 'check' | 'waitMs'>,
): Promise<Completion[]> {
  const { samplesPerPrompt, maxNewTokens } = options;
  const promptOfRow = prompts.flatMap((_, prompt) => new Array<number>(samplesPerPrompt).fill(prompt));
  const tokens: number[][] = promptOfRow.map(() => []);
  const logprobs: number[][] = promptOfRow.map(() => []);
  const finished = new Uint8Array(promptOfRow.length);
  const stop = new Set(options.stopIds);

  const { state, last } = await readPrompts(model, prompts, promptOfRow, options, bucket, engine);
  const stopIds = stop.size > 0 ? tf.tensor1d([...stop], 'int32') : null;
  const pending: SampledTokens[] = [];
  const interval = engine.backend === 'webgpu' ? READBACK_INTERVAL : 1;
  const pace = createPace(READBACK_INTERVAL, engine.waitMs);
  let ids: tf.Tensor1D | null = null;
  try {
    let hidden: tf.Tensor2D | null = last;
    for (let position = 0; position < maxNewTokens; position++) {
      const x: tf.Tensor2D = hidden ?? decodeStep(model, state, ids!, prompts, promptOfRow, position - 1);
      hidden = null;
      const ended = ids && stopIds ? { newest: ids, stopIds } : undefined;
      const sampled = sampleFrom(model, x, state.rowIds, options, position, ended);
      x.dispose();
      if (pending.length === 0) ids?.dispose(); // else it is read, and disposed of, with its step
      pending.push(sampled);
      ids = sampled.tokens;
      const isDue = pace.step();
      if (pending.length < interval && position + 1 < maxNewTokens) {
        if (!isDue) continue;
        await engine.check();
        pace.waited();
        await options.onProgress?.(position + 1);
        continue;
      }

      await readBack(pending, state.rows, stop, tokens, logprobs, finished);
      pace.waited();
      await options.onProgress?.(position + 1);
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
    if (!last.isDisposed) last.dispose();
  }
  return tokens.map((row, index) => ({
    tokens: row,
    logprobs: Float32Array.from(logprobs[index]),
    finished: finished[index] === 1,
  }));
}

/**
 * Reads all prompts, some at a time, and returns the caches and the last position's hidden state of every row. Between them
 * the device is waited for: all at once would keep a slow one busy for minutes.
 */
export async function readPrompts(
  model: PassModel,
  prompts: readonly (readonly number[])[],
  promptOfRow: readonly number[],
  options: GenerateOptions,
  bucket: number,
  engine: Pick<Engine, 'check'>,
): Promise<{ state: DecodeState; last: tf.Tensor2D }> {
  const longest = roundUp(Math.max(...prompts.map((prompt) => prompt.length)), bucket);
  const perChunk = Math.max(1, Math.floor(prefillTokens(model.config) / longest));
  const layers = model.weights.layers.length;
  const keys: tf.Tensor4D[][] = Array.from({ length: layers }, () => []);
  const values: tf.Tensor4D[][] = Array.from({ length: layers }, () => []);
  const lasts: tf.Tensor2D[] = [];
  const waitFor = async (): Promise<void> => {
    try {
      await engine.check();
      await options.onProgress?.(0);
    } catch (reason) {
      tf.dispose([lasts, keys, values]);
      throw reason;
    }
  };
  for (let start = 0; start < prompts.length; start += perChunk) {
    if (start > 0) await waitFor();
    const chunk = prompts.slice(start, start + perChunk);
    lasts.push(
      tf.tidy(() => {
        const ids = new Int32Array(chunk.length * longest);
        chunk.forEach((prompt, row) => ids.set(prompt, row * longest));
        const positions = ids.map((_, row) => row % longest);
        const rotation = rotationAt(model.tables, positions);
        const layout = { batch: chunk.length, length: longest, prompts: null };
        let x = embedding(tf.tensor1d(ids, 'int32'), model.weights.embedding);
        model.weights.layers.forEach((_, index) => {
          const input = x;
          x = tf.tidy(() =>
            sequenceBlock(model, index, input, layout, rotation, (k, v) => {
              keys[index].push(tf.keep(tf.clone(k)));
              values[index].push(tf.keep(tf.clone(v)));
            }),
          );
          input.dispose();
        });
        const lastRows = chunk.map((prompt, row) => row * longest + prompt.length - 1);
        return takeRows(x, lastRows);
      }),
    );
  }
  const join = (parts: tf.Tensor4D[]): tf.Tensor4D => {
    if (parts.length === 1) return parts[0];
    const [, ...rest] = parts[0].shape;
    const joined = tf.tidy(() => tf.reshape<tf.Rank.R4>(flatten(parts), [prompts.length, ...rest]));
    tf.dispose(parts);
    return tf.keep(joined);
  };
  const rows = promptOfRow.map((_, row) => row);
  const prefixLengths = prompts.map((prompt) => prompt.length);
  const state: DecodeState = {
    rows,
    rowIds: tf.tensor1d(Int32Array.from(rows), 'int32'),
    caches: keys.map((k, index) =>
      createKeyValueCache(
        { k: join(k), v: join(values[index]) },
        prefixLengths,
        promptOfRow,
        options.maxNewTokens,
      ),
    ),
  };
  const last = tf.tidy(() => {
    const all = lasts.length === 1 ? lasts[0] : tf.reshape<tf.Rank.R2>(flatten(lasts), [prompts.length, -1]);
    return takeRows(all, promptOfRow);
  });
  tf.dispose(lasts);
  return { state, last };
}

/** One step of all layers for the tokens that were sampled at `position` of each completion. */
export function decodeStep(
  model: PassModel,
  state: DecodeState,
  ids: tf.Tensor1D,
  prompts: readonly (readonly number[])[],
  promptOfRow: readonly number[],
  position: number,
): tf.Tensor2D {
  return tf.tidy(() => {
    const positions = state.rows.map((row) => prompts[promptOfRow[row]].length + position);
    const rotation = rotationAt(model.tables, Int32Array.from(positions));
    let x = embedding(ids, model.weights.embedding);
    state.caches.forEach((cache, layer) => {
      const input = x;
      x = newTokenBlock(model, layer, input, cache, rotation);
      input.dispose();
    });
    return x;
  });
}

export function sampleFrom(
  model: PassModel,
  x: tf.Tensor2D,
  rowIds: tf.Tensor1D,
  { temperature, seed, stream = 0 }: GenerateOptions,
  position: number,
  ended: Ended | undefined,
): SampledTokens {
  const h = tf.tidy(() => rmsNorm(x, model.weights.finalNorm, model.config.normEpsilon));
  const sampled = sampleHead(h, model.weights.head, rowIds, { temperature, seed, stream, position }, ended);
  h.dispose();
  return sampled;
}

/** Reads the pending steps and adds them to the completions, up to each row's first stop id. */
async function readBack(
  pending: readonly SampledTokens[],
  rows: readonly number[],
  stop: ReadonlySet<number>,
  tokens: number[][],
  logprobs: number[][],
  finished: Uint8Array,
): Promise<void> {
  const values = await readSteps(pending);
  for (let step = 0; step < pending.length; step++) {
    const [drawn, scores] = [values[2 * step], values[2 * step + 1]];
    rows.forEach((row, index) => {
      if (finished[row]) return;
      const token = drawn[index];
      tokens[row].push(token);
      logprobs[row].push(scores[index]);
      if (stop.has(token)) finished[row] = 1;
    });
  }
}

/** Of each step its tokens, then its log-probabilities. */
async function readSteps(pending: readonly SampledTokens[]): Promise<ArrayLike<number>[]> {
  const both = pending.flatMap((step) => [step.tokens, step.logprobs]);
  if (tf.getBackend() !== 'webgpu') return both.map((tensor) => tensor.dataSync());
  const all = copied(both); // one readback for all steps and both values
  const { buffer, byteOffset } = (await all.data()) as Float32Array;
  all.dispose();
  const length = pending[0].tokens.size;
  return both.map(({ dtype }, i) => {
    const start = byteOffset + 4 * i * length;
    return dtype === 'int32'
      ? new Int32Array(buffer, start, length)
      : new Float32Array(buffer, start, length);
  });
}

/** Keeps the rows at `alive` and returns their newest token ids. */
function compact(state: DecodeState, alive: readonly number[], ids: tf.Tensor1D): tf.Tensor1D {
  const take = <T extends tf.Tensor>(tensor: T): T => {
    const taken = tf.keep(takeRows(tensor, alive));
    tensor.dispose();
    return taken;
  };
  state.rows = alive.map((at) => state.rows[at]);
  state.rowIds = take(state.rowIds);
  for (const cache of state.caches) compactKeyValueCache(cache, alive);
  return take(ids);
}

export function disposeState(state: DecodeState): void {
  state.rowIds.dispose();
  for (const cache of state.caches) disposeKeyValueCache(cache);
}
