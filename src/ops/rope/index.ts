/**
 * Rotary position embedding (Su et al. 2021) in the half-split layout of Llama and Qwen. With d = headDim / 2, the pair
 * (x[i], x[i + d]) of every head rotates by position * theta^(-i / d). Angles come from a table computed in float64,
 * because float32 cosines of large angles are too inaccurate. The gradient is the inverse rotation.
 */
import * as tf from '@tensorflow/tfjs-core';
import { expectShape } from '../lib/shape';
import { withHeap } from '../lib/on-heap';
import { fused } from '../lib/backend-switch';
import { ropeFused, type RopeTables } from './wgsl';

const heapOps = withHeap(() => import('./wasm'));

export type { RopeTables } from './wgsl';

/** The angles of one batch of rows. */
export interface Rotation {
  tables: RopeTables;
  /** [rows] int32 */
  positions: tf.Tensor1D;
  /** Tables of the reference implementation. Null if the fused implementation runs. */
  plain: PlainRotation | null;
}

/** [rows, 1, headDim]: the tables' rows at the positions, repeated for both halves. */
interface PlainRotation {
  cos: tf.Tensor3D;
  sin: tf.Tensor3D;
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

/** @param positions one per row, each below the tables' number of positions */
export function rotationAt(tables: RopeTables, positions: Int32Array): Rotation {
  return {
    tables,
    positions: tf.tensor1d(positions, 'int32'),
    plain: fused() ? null : { cos: rowsOf(tables, positions, 0), sin: rowsOf(tables, positions, 1) },
  };
}

/** @param part 0 for cosines, 1 for sines */
function rowsOf({ values, half }: RopeTables, positions: Int32Array, part: 0 | 1): tf.Tensor3D {
  const rows = new Float32Array(positions.length * 2 * half);
  for (let row = 0; row < positions.length; row++) {
    const [from, to] = [positions[row] * half, 2 * row * half];
    for (let i = 0; i < half; i++) rows[to + i] = rows[to + half + i] = values[2 * (from + i) + part];
  }
  return tf.tensor3d(rows, [positions.length, 1, 2 * half]);
}

export function disposeRotation({ positions, plain }: Rotation): void {
  positions.dispose();
  if (plain) tf.dispose([plain.cos, plain.sin]);
}

/**
 * @param x [rows, heads, headDim]
 * @param rotation of the rows; on wasm it may have more rows, and the last ones apply
 * @returns [rows, heads, headDim]
 */
export function rope(x: tf.Tensor3D, rotation: Rotation): tf.Tensor3D {
  const isOfMore = heapOps() !== null && rotation.positions.size > x.shape[0];
  if (!isOfMore) expectShape('rope', 'rotation.positions', rotation.positions, [x.shape[0]]);
  expectShape('rope', 'x', x, [-1, -1, 2 * rotation.tables.half]);
  if (rotation.plain === null) return ropeFused(x, rotation.positions, rotation.tables);
  return (heapOps()?.ropeOnHeap ?? ropePlain)(x, rotation.plain);
}

/** The reference implementation: x * cos + (x J) * sin, where J takes (first, second) to (-second, first). */
export function ropePlain(x: tf.Tensor3D, { cos, sin }: PlainRotation): tf.Tensor3D {
  return tf.tidy(() => {
    const [first, second] = tf.split(x, 2, 2);
    return tf.add(tf.mul(x, cos), tf.mul(tf.concat([tf.neg(second), first], 2), sin));
  });
}
