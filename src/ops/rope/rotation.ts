/** Tables of rotary angles, and the angles of one batch of rows. */
import * as tf from '@tensorflow/tfjs-core';

export interface RopeTables {
  positions: number;
  half: number;
  /** Cosine and sine of each pair's angle: [positions, half, 2] */
  angles: tf.Tensor3D;
}

/** The angles of one batch of rows. */
export interface Rotation {
  tables: RopeTables;
  /** [rows] int32 */
  positions: tf.Tensor1D;
}

/** theta^(-i / d) for every pair of a head's dimensions, in radians per position: [headDim / 2]. */
export function rotaryFrequencies(headDim: number, theta: number): Float64Array {
  const half = headDim / 2;
  return Float64Array.from({ length: half }, (_, i) => Math.pow(theta, -i / half));
}

/**
 * Tables for positions 0 to `positions` - 1. The caller disposes of them with `disposeTables`.
 *
 * @param frequencies radians per position, [headDim / 2]
 */
export function ropeTables(positions: number, frequencies: Float64Array): RopeTables {
  const half = frequencies.length;
  const values = new Float32Array(positions * half * 2);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * frequencies[i];
      values.set([Math.cos(angle), Math.sin(angle)], 2 * (position * half + i));
    }
  }
  return { positions, half, angles: tf.keep(tf.tensor3d(values, [positions, half, 2])) };
}

export function disposeTables({ angles }: RopeTables): void {
  angles.dispose();
}
