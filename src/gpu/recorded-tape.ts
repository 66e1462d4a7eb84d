/**
 * A computation whose gradient is taken later.
 *
 * tfjs computes a gradient only in the same call as the forward pass. If the loss depends on the forward result, the
 * forward pass would run twice. This module removes the tape from the engine and restores it later. Every tensor
 * that a gradient needs must be saved on the tape, since all others are disposed of.
 */
import * as tf from '@tensorflow/tfjs-core';

interface TapeEngine {
  startTape(): void;
  endTape(): void;
  state: { activeTape: readonly { saved?: tf.Tensor[] }[] | null };
}

export interface RecordedTape {
  output: tf.Tensor;
  nodes: TapeEngine['state']['activeTape'];
}

const engine = (): TapeEngine => tf.engine() as unknown as TapeEngine;

export function hasKnownTape(): boolean {
  const { startTape, endTape, state } = engine() as Partial<TapeEngine>;
  return (
    [startTape, endTape].every((method) => typeof method === 'function') && 'gradientDepth' in (state ?? {})
  );
}

/** Runs `compute` and keeps its tape for one call of `replayed` or `dropTape`. The caller disposes of the output. */
export function recordTape(compute: () => tf.Tensor): RecordedTape {
  const { state } = engine();
  engine().startTape();
  try {
    return { output: tf.tidy(compute), nodes: state.activeTape };
  } finally {
    engine().endTape();
    state.activeTape = null;
  }
}

/** Returns a function for `tf.grads` that restores the tape and returns the recorded output. */
export function replayed({ output, nodes }: RecordedTape): () => tf.Tensor {
  return () => {
    engine().state.activeTape = nodes;
    return output;
  };
}

/** Disposes of the tensors saved on the tape. */
export function dropTape({ nodes }: RecordedTape): void {
  for (const { saved } of nodes ?? []) tf.dispose(saved ?? []);
}

// Gradients of the tfjs ops that are on the tape. Marble's own ops have theirs (`ops/lib/differentiable.ts`). tfjs registers
// the gradients of all its ops in a file that Node cannot import.
tf.registerGradient({
  kernelName: tf.Reshape,
  inputsToSave: ['x'],
  gradFunc: (dy, [x]) => ({ x: () => tf.reshape(dy as tf.Tensor, x.shape) }),
});

tf.registerGradient({
  kernelName: tf.Concat,
  saveAllInputs: true,
  gradFunc: (dy, inputs, { axis }) => {
    const [along] = tf.util.parseAxisParam(axis as number, inputs[0].shape);
    const sizes = inputs.map(({ shape }) => shape[along]);
    const parts = tf.split(dy as tf.Tensor, sizes, along);
    return Object.fromEntries(parts.map((part, index) => [index, () => part]));
  },
});
