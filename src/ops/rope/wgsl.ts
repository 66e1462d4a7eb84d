/** WGSL kernel of `rope`: each invocation rotates one pair. The gradient is the same kernel with the sine negated. */
import type * as tf from '@tensorflow/tfjs-core';
import { elementKernel, emptyTensor, runElements } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import type { Rotation } from './rotation';

const turn = elementKernel({
  name: 'rope',
  inputs: { x: 'f32', positions: 'i32', angles: 'vec2<f32>' },
  outputs: { y: 'f32' },
  uniforms: { heads: 'u32', half: 'u32', direction: 'f32' },
  body: `
    let pair = i % uniforms.half;
    let head = i / uniforms.half;
    let angle = angles[u32(positions[head / uniforms.heads]) * uniforms.half + pair];
    let first = head * 2u * uniforms.half + pair;
    let second = first + uniforms.half;
    let c = angle.x;
    let s = angle.y * uniforms.direction;
    y[first] = x[first] * c - x[second] * s;
    y[second] = x[second] * c + x[first] * s;`,
});

export function ropeWgsl(x: tf.Tensor3D, { positions, tables }: Rotation): tf.Tensor3D {
  const run = (input: tf.Tensor, at: tf.Tensor, direction: 1 | -1): tf.Tensor3D => {
    const y = emptyTensor<tf.Rank.R3>(x.shape);
    runElements(turn, x.size / 2, {
      inputs: { x: input, positions: at, angles: tables.angles },
      outputs: { y },
      uniforms: { heads: x.shape[1], half: tables.half, direction },
    });
    return y;
  };
  return differentiable([x], () => ({
    value: run(x, positions, 1),
    saved: [positions],
    gradient: (dy, [at]) => [() => run(dy, at, -1)],
  }));
}
