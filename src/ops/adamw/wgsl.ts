/**
 * WGSL kernels of `adamW`: one in-place kernel over the flat vectors, and the norm by partial sums in a fixed order.
 */
import * as tf from '@tensorflow/tfjs-core';
import { elementKernel, emptyTensor, runElements, webgpuBackend } from '../../gpu/kernel';
import type { AdamWSettings, AdamWState } from './state';

const step = elementKernel({
  name: 'adamw',
  inputs: { gradient: 'f32' },
  outputs: { parameters: 'f32', moment1: 'f32', moment2: 'f32' },
  uniforms: {
    rate: 'f32',
    beta1: 'f32',
    beta2: 'f32',
    one_minus_beta1: 'f32',
    one_minus_beta2: 'f32',
    correction1: 'f32',
    correction2: 'f32',
    epsilon: 'f32',
    decay: 'f32',
    scale: 'f32',
  },
  body: `
    let g = gradient[i] * uniforms.scale;
    let m = uniforms.beta1 * moment1[i] + uniforms.one_minus_beta1 * g;
    let v = uniforms.beta2 * moment2[i] + uniforms.one_minus_beta2 * g * g;
    let p = parameters[i];
    let direction = m * uniforms.correction1 / (sqrt(v * uniforms.correction2) + uniforms.epsilon);
    parameters[i] = p - uniforms.rate * (direction + uniforms.decay * p);
    moment1[i] = m;
    moment2[i] = v;`,
});

export function adamWWgsl(state: AdamWState, gradient: tf.Tensor1D, settings: AdamWSettings): void {
  const { learningRate, beta1, beta2, epsilon, weightDecay, update, gradientScale } = settings;
  for (const name of ['parameters', 'moment1', 'moment2'] as const) state[name] = soleOwner(state[name]);
  runElements(step, gradient.size, {
    inputs: { gradient },
    outputs: { parameters: state.parameters, moment1: state.moment1, moment2: state.moment2 },
    uniforms: {
      rate: learningRate,
      beta1,
      beta2,
      one_minus_beta1: 1 - beta1,
      one_minus_beta2: 1 - beta2,
      correction1: 1 / (1 - Math.pow(beta1, update)),
      correction2: 1 / (1 - Math.pow(beta2, update)),
      epsilon,
      decay: weightDecay,
      scale: gradientScale,
    },
  });
}

/** Returns the tensor, or a copy if a clone shares its memory. An in-place write would also change the clone. */
function soleOwner(tensor: tf.Tensor1D): tf.Tensor1D {
  const backend = webgpuBackend();
  if (backend.refCount(tensor.dataId) <= 1) return tensor;
  const copy: tf.Tensor1D = tf.keep(tf.add(tensor, 0));
  tensor.dispose();
  return copy;
}

/** Elements per invocation. */
const CHUNK = 256;

const squares = elementKernel({
  name: 'sum of squares',
  inputs: { x: 'f32' },
  outputs: { sums: 'f32' },
  uniforms: { elements: 'u32' },
  body: `
    var sum = 0.0;
    for (var at = i; at < uniforms.elements; at += uniforms.size) { sum += x[at] * x[at]; }
    sums[i] = sum;`,
});

/** Euclidean norm. The partial sums are added in double precision. */
export async function gradientNormWgsl(gradient: tf.Tensor1D): Promise<number> {
  const invocations = Math.min(4096, Math.ceil(gradient.size / CHUNK));
  const sums = emptyTensor<tf.Rank.R1>([invocations]);
  runElements(squares, invocations, {
    inputs: { x: gradient },
    outputs: { sums },
    uniforms: { elements: gradient.size },
  });
  const values = await sums.data();
  sums.dispose();
  let total = 0;
  for (const value of values) total += value;
  return Math.sqrt(total);
}
