/**
 * A fused forward pass with its hand-written gradient, as one step on tfjs's tape. Without gradient recording, no
 * tensor is kept and no function is wrapped. Gradients are functions, and only the requested ones run. `tf.customGrad`,
 * in contrast, would compute the gradient of a frozen weight and discard it.
 */
import * as tf from '@tensorflow/tfjs-core';

export interface Differentiable<T extends tf.Tensor | tf.Tensor[]> {
  /** One tensor, or several that are all used. */
  value: T;
  /** Tensors that the gradient needs and that a tidy might dispose of. */
  saved: tf.Tensor[];
  /** Gradients with respect to every input, in the order of `inputs`, as functions that are called at most once. */
  gradient: (dy: T, saved: tf.Tensor[]) => (() => tf.Tensor)[];
}

/** The two methods of tfjs's engine behind `tf.customGrad`. */
interface TapeEngine {
  isTapeOn(): boolean;
  runKernelFunc(step: {
    forwardFunc: (backend: unknown, save: tf.GradSaveFunc) => tf.Tensor | tf.Tensor[];
    backwardsFunc: (dy: tf.Tensor | tf.Tensor[], saved: tf.Tensor[]) => Record<number, () => tf.Tensor>;
    inputs: Record<number, tf.Tensor>;
  }): tf.Tensor | tf.Tensor[];
}

const tapeEngine = (): TapeEngine => tf.engine() as unknown as TapeEngine;

/** True while tfjs records operations for a gradient. */
export const recordsGradient = (): boolean => tapeEngine().isTapeOn();

/** @param inputs tensors that receive gradients; other tensors that `compute` reads are constants */
export function differentiable<T extends tf.Tensor | tf.Tensor[]>(
  inputs: readonly tf.Tensor[],
  compute: () => Differentiable<T>,
): T {
  return tf.tidy(() => {
    if (!recordsGradient()) return compute().value;
    let gradient: Differentiable<T>['gradient'];
    return tapeEngine().runKernelFunc({
      forwardFunc: (_, save) => {
        const step = compute();
        gradient = step.gradient;
        save(step.saved);
        return step.value;
      },
      backwardsFunc: (dy, saved) => Object.assign({}, gradient(dy as T, saved)),
      inputs: Object.assign({}, inputs),
    }) as T;
  });
}

/**
 * Gradients with respect to several inputs from one computation. tfjs requests each gradient separately, in a separate
 * tidy. The first request computes and keeps all of them, and later requests return the kept tensors. All of them must
 * be requested.
 */
export function computedTogether(count: number, compute: () => tf.Tensor[]): (() => tf.Tensor)[] {
  let kept: (tf.Tensor | null)[] | null = null;
  return Array.from({ length: count }, (_, index) => () => {
    if (kept === null) {
      const computed = compute();
      kept = computed.map((tensor, i) => (i === index ? null : tf.keep(tensor)));
      return computed[index];
    }
    const mine = kept[index]!;
    const handed = tf.clone(mine);
    mine.dispose();
    return handed;
  });
}

/**
 * Recomputation instead of saved tensors. Some tensors are cheap to recompute from tensors that are saved anyway: a
 * norm from its input, an activation from both its factors. Recomputation shrinks the tapes of large models by a third.
 */
interface Recipe {
  sources: tf.Tensor[];
  compute: (sources: tf.Tensor[]) => tf.Tensor;
}

const recipes = new WeakMap<tf.Tensor, Recipe>();

/** Registers `recipe` for `tensor`, so that ops save the recipe's sources instead of the tensor. */
export function recomputable<T extends tf.Tensor>(tensor: T, recipe: Recipe): T {
  if (recordsGradient()) recipes.set(tensor, recipe);
  return tensor;
}

/** Tensors that an op saves for an input, and the function that recovers the input from them. */
export function savedInput(input: tf.Tensor): Recipe {
  return recipes.get(input) ?? { sources: [input], compute: ([same]) => same };
}
