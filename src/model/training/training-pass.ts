/**
 * Log-probabilities of response tokens, and gradients by checkpointed backpropagation.
 *
 * Forward: blocks run without a tape, and only each block's input is kept (rows * hidden floats per layer). Backward: from the
 * last block to the first, `tf.grads(block)` recomputes the block from its input and propagates the gradient of its output
 * (Chen et al. 2016, "Training deep nets with sublinear memory cost"). `tf.grads` inside a customGrad throws in tfjs 4.22,
 * therefore this is a loop and not one custom gradient. The head runs on response positions only. On wasm, blocks and head
 * record tapes while these fit into memory, which avoids the recomputation. On a GPU, blocks record tapes if those of the whole
 * batch are small.
 */
import * as tf from '@tensorflow/tfjs-core';
import { dropTape, recordTape, replayed, type RecordedTape } from '../../gpu/recorded-tape';
import { embedding } from '../../ops/embedding';
import { gather } from '../../ops/gather';
import { rmsNorm } from '../../ops/rms-norm';
import { rotationAt } from '../../ops/rope';
import { tokenLogprob } from '../../ops/token-logprob';
import type { DeviceBatch } from '../batch';
import { yieldWithinPass } from '../../base/waits';
import type { SlotGradient } from './parameters';
import type { Parameter, TrainableParts } from './trainable';
import { sequenceBlock, unneededRows, type KeepKeysAndValues, type PassModel } from '../transformer';

/** A forward pass with the state for its backward pass: the inputs of all blocks and the output of the last. */
export interface ForwardPass {
  batch: DeviceBatch;
  /** [rows, hidden] each: the input of every block, then the output of the last */
  hidden: tf.Tensor2D[];
  /** Tape of each block; undefined for a block that the backward pass recomputes. */
  tapes: (RecordedTape | undefined)[];
  /** Tape of the head; undefined if the backward pass recomputes it. */
  head?: RecordedTape;
  /** Size of the tapes in bytes. */
  tapeBytes: number;
}

/** Memory for tapes. */
export interface TapeRoom {
  /** Limit in bytes. */
  bytes: number;
  /** Returns the bytes in use. The count of tfjs on wasm includes every view of a tensor, hence a separate count. */
  held: () => number;
}

/**
 * Runs the blocks. With `keepInputs` it keeps every block's input for the backward pass, and the tapes of the blocks that fit
 * into `room`. The caller disposes of the pass with `disposePass`.
 */
export async function forwardBlocks(
  model: PassModel,
  batch: DeviceBatch,
  keepInputs: boolean,
  room: TapeRoom = noRoom,
  keep?: KeepKeysAndValues,
): Promise<ForwardPass> {
  const tapes: (RecordedTape | undefined)[] = [];
  let left = room.bytes;
  const rotation = rotationAt(model.tables, batch.positions);
  const inputs: tf.Tensor2D[] = [];
  let x = tf.tidy(() => embedding(tf.tensor1d(batch.ids, 'int32'), model.weights.embedding));
  for (let layer = 0; layer < model.weights.layers.length; layer++) {
    if (layer > 0) await yieldWithinPass();
    if (keepInputs) inputs.push(x);
    const input = x;
    const run = (): tf.Tensor2D => sequenceBlock(model, layer, input, batch.layout, rotation, keep);
    if (keepInputs && left > 0) {
      const heldBytes = room.held();
      const tape = recordTape(run);
      left -= room.held() - heldBytes;
      x = tape.output as tf.Tensor2D;
      if (left >= 0) tapes[layer] = tape;
      else dropTape(tape);
    } else x = tf.tidy(run);
    if (!keepInputs) input.dispose();
  }
  rotation.positions.dispose();
  const hidden = [...inputs, x];
  return { batch, hidden, tapes, tapeBytes: room.bytes - Math.max(0, left) };
}

const noRoom: TapeRoom = { bytes: 0, held: () => 0 };

export function disposePass({ hidden, tapes, head }: ForwardPass): void {
  tf.dispose(hidden);
  for (const tape of [...tapes, head]) if (tape) dropTape(tape);
  head?.output.dispose();
}

/** Computes `headStatistics` of a pass and keeps the tape if it fits into `room`. */
export function passStatistics(
  model: PassModel,
  pass: ForwardPass,
  temperature: number,
  room: TapeRoom,
): tf.Tensor2D {
  const { batch, hidden } = pass;
  const x = hidden[hidden.length - 1];
  const compute = (): tf.Tensor2D => headStatistics(model, x, batch, temperature, room.bytes);
  if (room.bytes <= 0) return compute();
  const heldBytes = room.held();
  const head = recordTape(compute);
  const bytes = room.held() - heldBytes;
  if (bytes > room.bytes) {
    dropTape(head);
    return head.output as tf.Tensor2D;
  }
  pass.head = head;
  pass.tapeBytes += bytes;
  return tf.clone(head.output) as tf.Tensor2D;
}

/**
 * Log-probabilities and entropies of the response tokens, [2, response tokens].
 *
 * @param x [rows, hidden], the output of the last block
 * @param keptBytes on wasm, limit in bytes on the logits in a tape
 */
export function headStatistics(
  model: PassModel,
  x: tf.Tensor2D,
  batch: DeviceBatch,
  temperature: number,
  keptBytes?: number,
): tf.Tensor2D {
  return tf.tidy(() => {
    const skipped = unneededRows(batch.layout);
    const rows = batch.responseRows.map((row) => row - skipped);
    const h = rmsNorm(gather(x, rows), model.weights.finalNorm, model.config.normEpsilon);
    const tokens = tf.tensor1d(batch.responseTokens, 'int32');
    return tokenLogprob(h, model.weights.head, tokens, temperature, keptBytes);
  });
}

/** Accumulates gradients and takes ownership of them. */
type AccumulateGradients = (gradients: readonly SlotGradient[]) => void;

/**
 * Runs the backward pass of a forward pass and disposes of it.
 *
 * @param dStatistics [2, response tokens]: d loss / d logprob, then d loss / d entropy
 */
export async function backwardPass(
  model: PassModel,
  parts: TrainableParts,
  pass: ForwardPass,
  dStatistics: tf.Tensor2D,
  temperature: number,
  accumulate: AccumulateGradients,
): Promise<void> {
  const { batch, hidden, tapes, head } = pass;
  const rotation = rotationAt(model.tables, batch.positions);

  /** Accumulates the gradients of `f` with respect to `parameters` and returns the gradient with respect to its input. */
  const step = (
    f: (x: tf.Tensor2D) => tf.Tensor,
    input: tf.Tensor2D,
    parameters: readonly Parameter[],
    dy: tf.Tensor,
  ): tf.Tensor2D => {
    const slots = [...new Set(parameters.map(({ slot }) => slot))];
    const [dx, ...rest] = tf.tidy(() =>
      tf.grads((...values: tf.Tensor[]) => f(values[0] as tf.Tensor2D))(
        [input, ...slots.map((slot) => slot.read())],
        dy,
      ),
    );
    accumulate(slots.map((slot, index) => ({ slot, tensor: rest[index] })));
    dy.dispose();
    input.dispose();
    return dx as tf.Tensor2D;
  };

  // A tied head gets gradients here and from the embedding below.
  const tied = model.weights.head === model.weights.embedding ? parts.embedding : [];
  let dx = step(
    head ? replayed(head) : (x) => headStatistics(model, x, batch, temperature),
    hidden[hidden.length - 1],
    [...parts.head, ...tied],
    dStatistics,
  );
  head?.output.dispose();
  for (let layer = model.weights.layers.length - 1; layer >= 0; layer--) {
    await yieldWithinPass();
    const tape = tapes[layer];
    dx = step(
      tape ? replayed(tape) : (x) => sequenceBlock(model, layer, x, batch.layout, rotation),
      hidden[layer],
      parts.layers[layer],
      dx,
    );
  }
  for (const { slot } of parts.embedding) {
    const ids = tf.tensor1d(batch.ids, 'int32');
    const gradient = tf.tidy(() => tf.grad(() => embedding(ids, model.weights.embedding))(slot.read(), dx));
    accumulate([{ slot, tensor: gradient }]);
    ids.dispose();
  }
  dx.dispose();
  rotation.positions.dispose();
}
