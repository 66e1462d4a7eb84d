/**
 * A fused forward pass with its hand-written gradient, as one step on tfjs's tape. Where no gradient is being recorded
 * nothing is kept and nothing is wrapped.
 */
import * as tf from '@tensorflow/tfjs-core';

export interface Differentiable<T extends tf.Tensor> {
  value: T;
  /** Tensors that the gradient needs. */
  saved: tf.Tensor[];
  /** The gradient by every input, in the order of `inputs`. */
  gradient: (dy: T, saved: tf.Tensor[]) => tf.Tensor[];
}

/** @param inputs the tensors that gradients flow into: what `compute` reads beside them is constant */
export function differentiable<T extends tf.Tensor>(
  inputs: readonly tf.Tensor[],
  compute: () => Differentiable<T>,
): T {
  return tf.tidy(() => {
    const recording = (tf.engine() as unknown as { isTapeOn(): boolean }).isTapeOn();
    if (!recording) return compute().value;
    const step = tf.customGrad((...args) => {
      const save = args[args.length - 1] as unknown as tf.GradSaveFunc;
      const { value, saved, gradient } = compute();
      save(saved);
      return { value, gradFunc: (dy: tf.Tensor, kept: tf.Tensor[]) => gradient(dy as T, kept) };
    });
    return step(...inputs);
  });
}
