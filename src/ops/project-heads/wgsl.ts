/**
 * Fused epilogue of `projectHeads`: each invocation copies and rotates one pair of one head. The gradient applies the
 * inverse.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { elementKernel, emptyTensor, runElements, type Kernel } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import type { JointProjection } from '../joint-linear';
import { jointLinearWgsl } from '../joint-linear/wgsl';
import type { Rotation } from '../rope';
import { normedAndRotated, type HeadNorms, type HeadShape } from './heads';

/**
 * `from` and `to` are WGSL statements. `from` reads `a` and `b` of the pair, and `to` writes `rotated_a` and `rotated_b`.
 */
function movingKernel(
  name: string,
  [inputs, outputs]: readonly [readonly string[], readonly string[]],
  move: (tensor: string, first: string) => { from: string; to: string },
): Kernel {
  const places = [
    ['q', '(row * uniforms.heads + head)'],
    ['k', '(row * uniforms.kv_heads + head - uniforms.heads)'],
    ['v', '(row * uniforms.kv_heads + head - uniforms.heads - uniforms.kv_heads)'],
  ] as const;
  const each = (part: 'from' | 'to'): string => {
    const [q, k, v] = places.map(([tensor, at]) => move(tensor, `${at} * 2u * uniforms.half + pair`)[part]);
    return `if (head < uniforms.heads) { ${q} }
      else if (head < uniforms.heads + uniforms.kv_heads) { ${k} }
      else { ${v} }`;
  };
  const f32 = (names: readonly string[]): Record<string, 'f32'> =>
    Object.fromEntries(names.map((key) => [key, 'f32' as const]));
  return elementKernel({
    name,
    inputs: { ...f32(inputs), positions: 'i32', angles: 'vec2<f32>' },
    outputs: f32(outputs),
    uniforms: { heads: 'u32', kv_heads: 'u32', half: 'u32', rotated: 'u32', direction: 'f32' },
    body: `
      let pair = i % uniforms.half;
      let all = uniforms.heads + 2u * uniforms.kv_heads;
      let head = i / uniforms.half % all;
      let row = i / uniforms.half / all;
      let joint = i / uniforms.half * 2u * uniforms.half + pair;
      var a: f32;
      var b: f32;
      ${each('from')}
      var c = 1.0;
      var s = 0.0;
      if (head < uniforms.rotated) {
        let angle = angles[u32(positions[row]) * uniforms.half + pair];
        c = angle.x;
        s = angle.y * uniforms.direction;
      }
      let rotated_a = a * c - b * s;
      let rotated_b = b * c + a * s;
      ${each('to')}`,
  });
}

const TAKE_APART = movingKernel('split heads', [['qkv'], ['q', 'k', 'v']], (tensor, first) => ({
  from: 'a = qkv[joint]; b = qkv[joint + uniforms.half];',
  to: `${tensor}[${first}] = rotated_a; ${tensor}[${first} + uniforms.half] = rotated_b;`,
}));

const PUT_TOGETHER = movingKernel('split heads backward', [['q', 'k', 'v'], ['qkv']], (tensor, first) => ({
  from: `a = ${tensor}[${first}]; b = ${tensor}[${first} + uniforms.half];`,
  to: 'qkv[joint] = rotated_a; qkv[joint + uniforms.half] = rotated_b;',
}));

/** One kernel after the joint product. Normed heads are split first, and normed and rotated by their own kernels. */
export function projectHeadsWgsl(
  x: tf.Tensor2D,
  qkv: JointProjection,
  shape: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
): tf.Tensor3D[] {
  const heads = splitHeads(jointLinearWgsl(x, qkv), shape, rotation, norms === null);
  return norms ? normedAndRotated(heads, rotation, norms) : heads;
}

function splitHeads(
  qkv: tf.Tensor2D,
  { heads, kvHeads, headDim }: HeadShape,
  { positions, tables }: Rotation,
  rotated: boolean,
): tf.Tensor3D[] {
  const rows = qkv.shape[0];
  const uniforms = {
    heads,
    kv_heads: kvHeads,
    half: headDim / 2,
    rotated: rotated ? heads + kvHeads : 0,
  };
  const { angles } = tables;
  return differentiable<tf.Tensor3D[]>([qkv], () => {
    const [q, k, v] = [heads, kvHeads, kvHeads].map((count) =>
      emptyTensor<tf.Rank.R3>([rows, count, headDim]),
    );
    runElements(TAKE_APART, qkv.size / 2, {
      inputs: { qkv, positions, angles },
      outputs: { q, k, v },
      uniforms: { ...uniforms, direction: 1 },
    });
    return {
      value: [q, k, v],
      saved: [positions],
      gradient: ([dq, dk, dv], [at]) => [
        () => {
          const dQkv = emptyTensor<tf.Rank.R2>(qkv.shape);
          runElements(PUT_TOGETHER, qkv.size / 2, {
            inputs: { q: dq, k: dk, v: dv, positions: at, angles },
            outputs: { qkv: dQkv },
            uniforms: { ...uniforms, direction: -1 },
          });
          return dQkv;
        },
      ],
    };
  });
}
