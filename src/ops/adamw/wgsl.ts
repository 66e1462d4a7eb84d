/**
 * WGSL kernels of `adamW`: one in-place kernel over the flat vectors, and the norm by partial sums in a fixed order.
 */
import * as tf from '@tensorflow/tfjs-core';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel, webgpuBackend } from '../../gpu/kernel';
import type { AdamWSettings, AdamWState } from './state';

const step = defineKernel({
  name: 'adamw',
  inputs: { gradient: 'f32' },
  outputs: { parameters: 'f32', moment1: 'f32', moment2: 'f32' },
  uniforms: {
    size: 'u32',
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
  workgroupSize: [64, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 64u + lane;
    if (i >= uniforms.size) { return; }
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
  runKernel(step, {
    inputs: { gradient },
    outputs: { parameters: state.parameters, moment1: state.moment1, moment2: state.moment2 },
    uniforms: {
      size: gradient.size,
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
    workgroups: foldedWorkgroups(Math.ceil(gradient.size / 64)),
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

const squares = defineKernel({
  name: 'sum of squares',
  inputs: { x: 'f32' },
  outputs: { sums: 'f32' },
  uniforms: { size: 'u32', invocations: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let first = (group.y * groups.x + group.x) * 64u + lane;
    if (first >= uniforms.invocations) { return; }
    var sum = 0.0;
    for (var i = first; i < uniforms.size; i += uniforms.invocations) { sum += x[i] * x[i]; }
    sums[first] = sum;`,
});

/** Euclidean norm. The partial sums are added in double precision. */
export async function gradientNormWgsl(gradient: tf.Tensor1D): Promise<number> {
  const invocations = Math.min(4096, Math.ceil(gradient.size / CHUNK));
  const sums = emptyTensor<tf.Rank.R1>([invocations]);
  runKernel(squares, {
    inputs: { x: gradient },
    outputs: { sums },
    uniforms: { size: gradient.size, invocations },
    workgroups: [Math.ceil(invocations / 64), 1, 1],
  });
  const values = await sums.data();
  sums.dispose();
  let total = 0;
  for (const value of values) total += value;
  return Math.sqrt(total);
}
