/**
 * Gradients of the tfjs ops that are on the tape. Marble's own ops have theirs (`ops/lib/differentiable.ts`). tfjs registers
 * the gradients of all its ops in a file that Node cannot import.
 */
import * as tf from '@tensorflow/tfjs-core';

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
