/** WGSL kernel of `rope`: each invocation rotates one pair. The gradient is the same kernel with the sine negated. */
import type * as tf from '@tensorflow/tfjs-core';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import type { Rotation } from './rotation';

const turn = defineKernel({
  name: 'rope',
  inputs: { x: 'f32', positions: 'i32', angles: 'vec2<f32>' },
  outputs: { y: 'f32' },
  uniforms: { pairs: 'u32', heads: 'u32', half: 'u32', direction: 'f32' },
  workgroupSize: [64, 1, 1],
  body: `
    let pair = (group.y * groups.x + group.x) * 64u + lane;
    if (pair >= uniforms.pairs) { return; }
    let i = pair % uniforms.half;
    let head = pair / uniforms.half;
    let angle = angles[u32(positions[head / uniforms.heads]) * uniforms.half + i];
    let first = head * 2u * uniforms.half + i;
    let second = first + uniforms.half;
    let c = angle.x;
    let s = angle.y * uniforms.direction;
    y[first] = x[first] * c - x[second] * s;
    y[second] = x[second] * c + x[first] * s;`,
});

export function ropeWgsl(x: tf.Tensor3D, { positions, tables }: Rotation): tf.Tensor3D {
  const [rows, heads] = x.shape;
  const pairs = rows * heads * tables.half;
  const run = (input: tf.Tensor, at: tf.Tensor, direction: 1 | -1): tf.Tensor3D => {
    const y = emptyTensor<tf.Rank.R3>(x.shape);
    runKernel(turn, {
      inputs: { x: input, positions: at, angles: tables.angles },
      outputs: { y },
      uniforms: { pairs, heads, half: tables.half, direction },
      workgroups: foldedWorkgroups(Math.ceil(pairs / 64)),
    });
    return y;
  };
  return differentiable([x], () => ({
    value: run(x, positions, 1),
    saved: [positions],
    gradient: (dy, [at]) => [() => run(dy, at, -1)],
  }));
}
