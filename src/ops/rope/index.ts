/**
 * Rotary position embedding (Su et al. 2021) in the half-split layout of Llama and Qwen. With d = headDim / 2, the pair
 * (x[i], x[i + d]) of every head rotates by position * theta^(-i / d). Angles come from a table computed in float64,
 * because float32 cosines of large angles are too inaccurate. The gradient is the inverse rotation.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectLastRows, expectShape } from '../lib/shape';
import type { RopeTables, Rotation } from './rotation';

const implementation = implementations<typeof rope>('rope', {
  wasm: async () => (await import('./wasm')).ropeWasm,
  wgsl: async () => (await import('./wgsl')).ropeWgsl,
});

export { disposeTables, ropeTables, rotaryFrequencies } from './rotation';
export type { RopeTables, Rotation } from './rotation';

/** @param positions one per row, each below the tables' number of positions */
export function rotationAt(tables: RopeTables, positions: Int32Array): Rotation {
  return { tables, positions: tf.tensor1d(positions, 'int32') };
}

/**
 * @param x [rows, heads, headDim]
 * @param rotation of the rows; on wasm it may have more rows, and the last ones apply
 * @returns [rows, heads, headDim]
 */
export function rope(x: tf.Tensor3D, rotation: Rotation): tf.Tensor3D {
  expectLastRows('rope', 'rotation.positions', rotation.positions, [x.shape[0]]);
  expectShape('rope', 'x', x, [-1, -1, 2 * rotation.tables.half]);
  return implementation.current(x, rotation);
}
