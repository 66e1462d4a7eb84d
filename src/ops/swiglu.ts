/**
 * y = silu(gate) * up with silu(x) = x * sigmoid(x) (Shazeer 2020).
 *
 * dgate = dy * up * s * (1 + gate * (1 - s)) with s = sigmoid(gate); dup = dy * silu(gate).
 */
import * as tf from '@tensorflow/tfjs-core';
import { expectShape } from './shape';
import { swigluFused, swigluHalvesFused } from './swiglu.wgsl';
import { fused } from './twin';

/** @param gate [rows, width] @param up [rows, width] @returns [rows, width] */
export function swiglu(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  expectShape('swiglu', 'gate', gate, [-1, -1]);
  expectShape('swiglu', 'up', up, gate.shape);
  return fused() ? swigluFused(gate, up) : swigluPlain(gate, up);
}

/**
 * The same of one tensor that holds both, as a joint product leaves them.
 *
 * @param both [rows, 2 width]: gate, then up @returns [rows, width]
 */
export function swigluHalves(both: tf.Tensor2D): tf.Tensor2D {
  const width = Math.floor(both.shape[1] / 2);
  expectShape('swigluHalves', 'both', both, [-1, 2 * width]);
  if (fused()) return swigluHalvesFused(both);
  return tf.tidy(() => {
    const [gate, up] = tf.split<tf.Tensor2D>(both, 2, 1);
    return swigluPlain(gate, up);
  });
}

/** The plain twin. */
export function swigluPlain(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  const activate = tf.customGrad((...args) => {
    const [g, u, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc];
    const s = tf.sigmoid(g);
    const silu = tf.mul(g, s);
    save([g, u, s]);
    return {
      value: tf.mul(silu, u),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [gSaved, uSaved, sSaved] = saved;
        const siluSaved = tf.mul(gSaved, sSaved);
        // s + silu - silu s is s (1 + gate (1 - s))
        const slope = tf.add(sSaved, tf.sub(siluSaved, tf.mul(siluSaved, sSaved)));
        return [tf.mul(tf.mul(dy, uSaved), slope), tf.mul(dy, siluSaved)];
      },
    };
  });
  return tf.tidy(() => activate(gate, up) as tf.Tensor2D);
}
