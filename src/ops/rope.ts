/**
 * Rotary position embedding (Su et al. 2021) in the half-split layout of Llama and Qwen: with d = headDim / 2, the pair
 * (x[i], x[i + d]) of every head turns by position * theta^(-i / d). Angles come from a table made in float64, since
 * float32 cosines of large angles are not good enough. The gradient is the same rotation backwards.
 */
import * as tf from '@tensorflow/tfjs-core';
import { expectShape } from './shape';

export interface RopeTables {
  /** [positions, headDim / 2] */
  cos: tf.Tensor2D;
  /** [positions, headDim / 2] */
  sin: tf.Tensor2D;
}

/** Tables for positions 0 to `positions` - 1. The caller disposes of them. */
export function ropeTables(positions: number, headDim: number, theta: number): RopeTables {
  const half = headDim / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * Math.pow(theta, -i / half);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return { cos: tf.tensor2d(cos, [positions, half]), sin: tf.tensor2d(sin, [positions, half]) };
}

/**
 * @param x [rows, heads, headDim]
 * @param positions [rows] int32, each below the tables' number of positions
 * @returns [rows, heads, headDim]
 */
export function rope(x: tf.Tensor3D, positions: tf.Tensor1D, tables: RopeTables): tf.Tensor3D {
  expectShape('rope', 'positions', positions, [x.shape[0]]);
  expectShape('rope', 'tables.cos', tables.cos, [-1, x.shape[2] / 2]);
  return ropePlain(x, positions, tables);
}

/** The plain twin. */
export function ropePlain(x: tf.Tensor3D, positions: tf.Tensor1D, tables: RopeTables): tf.Tensor3D {
  return tf.tidy(() => {
    const [rows, heads, headDim] = x.shape;
    const half = headDim / 2;
    const cos = tf.reshape(tf.gather(tables.cos, positions), [rows, 1, half]);
    const sin = tf.reshape(tf.gather(tables.sin, positions), [rows, 1, half]);
    const first = tf.slice(x, [0, 0, 0], [rows, heads, half]);
    const second = tf.slice(x, [0, 0, half], [rows, heads, half]);
    return tf.concat(
      [tf.sub(tf.mul(first, cos), tf.mul(second, sin)), tf.add(tf.mul(second, cos), tf.mul(first, sin))],
      2,
    );
  });
}
