/**
 * Joint projections of one input to queries, keys and values. Queries and keys are rotated to their positions
 * (`rope/`). If the architecture requires it, every head of both is first normalised (`rms-norm/`).
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { JointProjection } from '../joint-linear';
import type { Rotation } from '../rope';
import { expectHeads, type HeadNorms, type HeadShape } from './heads';

const implementation = implementations<typeof projectHeads>('projectHeads', {
  wasm: async () => (await import('./wasm')).projectHeadsWasm,
  wgsl: async () => (await import('./wgsl')).projectHeadsWgsl,
});

export type { HeadNorms, HeadShape } from './heads';

/**
 * @param x [rows, inputs]
 * @param skipped on wasm only: leading rows without queries
 * @returns q [rows - skipped, heads, headDim], k and v [rows, kvHeads, headDim]
 */
export function projectHeads(
  x: tf.Tensor2D,
  qkv: JointProjection,
  shape: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
  skipped = 0,
): tf.Tensor3D[] {
  expectHeads('projectHeads', x, qkv, shape, rotation, norms);
  return implementation.current(x, qkv, shape, rotation, norms, skipped);
}
