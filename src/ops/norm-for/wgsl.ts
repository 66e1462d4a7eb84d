/**
 * RMSNorm of few rows and the inner product of the next adapter, h Aᵀ, in one kernel. Both need whole rows, and A is
 * thin, so the workgroup that normalises a row can also compute its product. Sums have the order of the separate
 * kernels (rms-norm/wgsl.ts, and for the product the tile by rule). The choice between both ways therefore changes no
 * bit on a software adapter.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../../gpu/kernel';
import { reducePartials, reduceThreads } from '../lib/reduce.wgsl';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';
import type { JointProjection } from '../joint-linear';
import { recordsGradient } from '../lib/differentiable';
import { adapterTraits } from '../matmul';
import { range } from '../matmul/variant';
import { rmsNorm } from '../rms-norm';

interface Variant {
  /** Invocations that share a row's norm. */
  threads: number;
  /**
   * True if the invocations also share each sum of the product. Otherwise each one computes separate sums for four
   * rows.
   */
  shared: boolean;
  /** True if the width is a multiple of 4. */
  aligned: boolean;
}

/** Outputs per block, which one or more invocations compute at a time. */
const OUTPUTS = 4;
/** Adjacent blocks per step if sums are shared. */
const BLOCKS = 4;

const rowsOf = (shared: boolean): number => (shared ? 1 : 4);

const kernel = memoize((variant: Variant): Kernel => {
  const { threads, shared, aligned } = variant;
  const rows = rowsOf(shared);
  const down = shared ? BLOCKS : 1;
  const squares = (r: number): string => `(local.y * ${rows}u + ${r}u) * ${threads}u`;
  return defineKernel({
    name: `rms norm and inner product ${shared ? 'shared' : 'apart'}`,
    inputs: {
      x: 'f32',
      gain: 'f32',
      x_fours: storedAs('f32', aligned),
      gain_fours: storedAs('f32', aligned),
      a: storedAs('f32', aligned),
    },
    outputs: { y: 'f32', inner: 'f32' },
    uniforms: { rows: 'u32', width: 'u32', outputs: 'u32', epsilon: 'f32' },
    workgroupSize: [threads, down, 1],
    declarations: [
      ...['x_fours', 'gain_fours', 'a'].map((name) => loadFour(name, 'f32', aligned, 'uniforms.width')),
      `var<workgroup> squares: array<f32, ${down * rows * threads}>;`,
      shared ? `var<workgroup> products: array<f32, ${down * OUTPUTS * threads}>;` : '',
    ].join('\n'),
    body: `
      let first_row = (group.y * groups.x + group.x) * ${rows}u;
      ${range(rows)
        .map(
          (r) => `let row${r} = min(first_row + ${r}u, uniforms.rows - 1u);
        {
          var own = 0.0;
          for (var i = local.x; i < uniforms.width; i += ${threads}u) {
            let value = x[row${r} * uniforms.width + i];
            own += value * value;
          }
          squares[${squares(r)} + local.x] = own;
        }`,
        )
        .join('\n')}
      workgroupBarrier();
      ${range(rows)
        .map(
          (r) => `var square${r} = 0.0;
        ${reducePartials(threads, 'squares', squares(r), `square${r}`)}
        let inverse${r} = inverseSqrt(square${r} / f32(uniforms.width) + uniforms.epsilon);
        if (first_row + ${r}u < uniforms.rows) {
          for (var i = lane; i < uniforms.width; i += ${threads * down}u) {
            let at = row${r} * uniforms.width + i;
            y[at] = x[at] * inverse${r} * gain[i];
          }
        }`,
        )
        .join('\n')}
      ${shared ? sharedProduct(variant) : ownProduct(threads)}`,
  });
});

/** Four steps of h, recomputed instead of read back. */
const fourOf = (row: number): string => `load_x_fours(row${row}, k) * inverse${row} * load_gain_fours(0u, k)`;

const rowOfA = (j: number): string => `load_a(min(first + ${j}u, uniforms.outputs - 1u), k)`;

function sharedProduct({ threads }: Variant): string {
  const at = (j: number): string => `(local.y * ${OUTPUTS}u + ${j}u) * ${threads}u`;
  return `
      for (var base = 0u; base < uniforms.outputs; base += ${OUTPUTS * BLOCKS}u) {
        let first = base + local.y * ${OUTPUTS}u;
        ${range(OUTPUTS)
          .map((j) => `var s${j} = 0.0;`)
          .join(' ')}
        for (var k = local.x * 4u; k < uniforms.width; k += ${threads * 4}u) {
          let v = ${fourOf(0)};
          ${range(OUTPUTS)
            .map((j) => `s${j} += dot(v, ${rowOfA(j)});`)
            .join('\n')}
        }
        ${range(OUTPUTS)
          .map((j) => `products[${at(j)} + local.x] = s${j};`)
          .join('\n')}
        workgroupBarrier();
        if (lane < ${OUTPUTS * BLOCKS}u && base + lane < uniforms.outputs && first_row < uniforms.rows) {
          var sum = 0.0;
          ${reducePartials(threads, 'products', `lane * ${threads}u`, 'sum')}
          inner[first_row * uniforms.outputs + base + lane] = sum;
        }
        workgroupBarrier();
      }`;
}

function ownProduct(threads: number): string {
  const rows = range(rowsOf(false));
  return `
      for (var first = lane * ${OUTPUTS}u; first < uniforms.outputs; first += ${threads * OUTPUTS}u) {
        ${rows.map((r) => `var s${r} = vec4<f32>(0.0);`).join(' ')}
        for (var k = 0u; k < uniforms.width; k += 4u) {
          ${range(OUTPUTS)
            .map((j) => `let a${j} = ${rowOfA(j)};`)
            .join('\n')}
          ${rows
            .map(
              (r) => `{ let v = ${fourOf(r)};
            s${r} += vec4<f32>(${range(OUTPUTS)
              .map((j) => `dot(v, a${j})`)
              .join(', ')}); }`,
            )
            .join('\n')}
        }
        ${rows
          .map(
            (r) => `if (first_row + ${r}u < uniforms.rows) {
          for (var j = 0u; j < min(${OUTPUTS}u, uniforms.outputs - first); j++) {
            inner[(first_row + ${r}u) * uniforms.outputs + first + j] = s${r}[j];
          }
        }`,
          )
          .join('\n')}
      }`;
}

/** With more rows, a separate kernel that reads A once for several rows is faster. */
const MOST_ROWS = 64;

/** Takes the parameters of `normFor`. */
export function normForWgsl(
  x: tf.Tensor2D,
  gain: tf.Tensor1D,
  epsilon: number,
  joint: JointProjection,
): [tf.Tensor2D, JointProjection] {
  const { adapter } = joint;
  if (!adapter || x.shape[0] > MOST_ROWS || recordsGradient()) return [rmsNorm(x, gain, epsilon), joint];
  const { y, inner } = normedInner(x, gain, epsilon, adapter.a.data);
  return [y, { ...joint, adapter: { ...adapter, inner } }];
}

/**
 * @param x [rows, width]
 * @param gain [width]
 * @param a [outputs, width]
 * @returns the norm of x [rows, width], and its product with aᵀ [rows, outputs]
 */
export function normedInner(
  x: tf.Tensor2D,
  gain: tf.Tensor1D,
  epsilon: number,
  a: tf.Tensor2D,
): { y: tf.Tensor2D; inner: tf.Tensor2D } {
  const [rows, width] = x.shape;
  const outputs = a.shape[0];
  const traits = adapterTraits();
  const shared = !traits.isSoftware || rows <= 2; // the same rule as the product's tile
  const y = emptyTensor<tf.Rank.R2>([rows, width]);
  const inner = emptyTensor<tf.Rank.R2>([rows, outputs]);
  const threads = reduceThreads(traits);
  runKernel(kernel({ threads, shared, aligned: width % 4 === 0 }), {
    inputs: { x, gain, x_fours: x, gain_fours: gain, a },
    outputs: { y, inner },
    uniforms: { rows, width, outputs, epsilon },
    workgroups: foldedWorkgroups(Math.ceil(rows / rowsOf(shared))),
  });
  return { y, inner };
}
