/** Tables of rotary angles, and the angles of one batch of rows. */
import * as tf from '@tensorflow/tfjs-core';

export interface RopeTables {
  positions: number;
  half: number;
  /** Cosine and sine of each pair's angle: [positions * half * 2] */
  values: Float32Array;
  /** The same table on the device, [positions, half, 2]. WGSL kernels index it by position. */
  angles: tf.Tensor3D;
}

/** The angles of one batch of rows. */
export interface Rotation {
  tables: RopeTables;
  /** [rows] int32 */
  positions: tf.Tensor1D;
  /** Null if the implementation reads the tables. */
  rows: TableRows | null;
}

/** [rows, 1, headDim]: the tables' rows at the positions, repeated for both halves. */
export interface TableRows {
  cos: tf.Tensor3D;
  sin: tf.Tensor3D;
}

/** An implementation of `rope`. */
export interface Rope {
  rowsAt: (tables: RopeTables, positions: Int32Array) => TableRows | null;
  /** @param x [rows, heads, headDim] */
  rotate: (x: tf.Tensor3D, rotation: Rotation) => tf.Tensor3D;
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
  return { positions, half, values, angles: tf.keep(tf.tensor3d(values, [positions, half, 2])) };
}

export function disposeTables({ angles }: RopeTables): void {
  angles.dispose();
}

export const tableRows = (tables: RopeTables, positions: Int32Array): TableRows => ({
  cos: rowsOf(tables, positions, 0),
  sin: rowsOf(tables, positions, 1),
});

/** @param part 0 for cosines, 1 for sines */
function rowsOf({ values, half }: RopeTables, positions: Int32Array, part: 0 | 1): tf.Tensor3D {
  const rows = new Float32Array(positions.length * 2 * half);
  for (let row = 0; row < positions.length; row++) {
    const [from, to] = [positions[row] * half, 2 * row * half];
    for (let i = 0; i < half; i++) rows[to + i] = rows[to + half + i] = values[2 * (from + i) + part];
  }
  return tf.tensor3d(rows, [positions.length, 1, 2 * half]);
}
