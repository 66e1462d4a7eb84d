/**
 * Recomputation instead of saved tensors. Some tensors are cheap to recompute from tensors that are saved anyway: a
 * norm from its input, an activation from both its factors. Recomputation shrinks the tapes of large models by a third.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { recordsGradient } from './differentiable';

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
