/**
 * Whether kernels may sum over subgroups on the open engine: where the device has them and they give what the plain
 * sums give, within rounding, and the same bits every time. Until it is checked kernels sum the plain way.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../gpu/engine';
import { createRandom } from '../../base/random';
import { adapterTraits, matrixProduct, type StoredMatrix } from '../matmul';
import { lowRankInnerGradient } from '../matmul/low-rank-gradient.wgsl';
import { rmsNorm } from '../rms-norm';

/** Of the largest value: some hundred times the rounding of the sums below. */
const TOLERANCE = 2e-5;
const RUNS = 3;

/** Sizes at which some invocations, and in the last round most of them, have nothing to add. */
const INPUTS = 1003;
const OUTPUTS = 37;
const RANK = 9;

/** Rows of blocks that products of few rows come in: a card's driver may pick a subgroup's size for each kernel anew. */
const ROWS = [3, 7, 16] as const;

/** Of the model that is to run, so that no kernel is compiled for this alone. */
export interface SubgroupUses {
  /** Whether matrices are packed, in bf16. */
  packed: boolean;
  /** Whether it has an adapter. */
  adapter: boolean;
}

/**
 * Checks once, and lets the engine's kernels sum over subgroups if all is well: every kernel that does, in each form that
 * the model uses.
 *
 * @param subgroupSize least invocations of a subgroup, 0 for none
 * @returns whether kernels sum over subgroups from now on
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function verifySubgroups(
  engine: Engine,
  { packed, adapter }: SubgroupUses,
  subgroupSize = engine.capabilities?.subgroupSize ?? 0,
): Promise<boolean> {
  if (engine.backend !== 'webgpu' || subgroupSize === 0) return false;
  const traits = adapterTraits();
  if (traits.subgroupSize > 0) return true;
  const { x, gain, outer, matrices } = operands(packed);
  /** What each kernel gives; of x the first rows. */
  const kernels: (() => tf.Tensor)[] = [
    () => rmsNorm(x, gain, 1e-6),
    () => tf.grads((input: tf.Tensor) => rmsNorm(input as tf.Tensor2D, gain, 1e-6))([x], x)[0],
    ...matrices.flatMap((matrix) =>
      (traits.isSoftware ? ROWS.slice(0, 1) : ROWS).map((rows) => () => {
        const some = tf.slice(x, [0, 0], [rows, INPUTS]);
        return matrixProduct('nt', some, matrix, {}, 'few-rows');
      }),
    ),
  ];
  if (adapter) {
    kernels.push(() => {
      const inner = tf.zeros<tf.Rank.R2>([x.shape[0], RANK]);
      return lowRankInnerGradient(x, { inner, outer, scale: 1, segments: [INPUTS] });
    });
  }
  const sums = async (): Promise<Float32Array[]> => {
    const given: Float32Array[] = [];
    for (const kernel of kernels) {
      const result = tf.tidy(kernel);
      given.push(Float32Array.from(await result.data()));
      result.dispose();
    }
    return given;
  };
  const expected = await sums();
  traits.subgroupSize = subgroupSize;
  const runs: Float32Array[][] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await sums());
  tf.dispose([x, gain, outer, ...matrices.map(({ data }) => data)]);
  const holds = expected.every((values, kernel) => {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return runs.every((run) =>
      values.every((value, i) => {
        const given = run[kernel][i];
        return given === runs[0][kernel][i] && Math.abs(given - value) <= TOLERANCE * largest; // NaN fails
      }),
    );
  });
  if (!holds) traits.subgroupSize = 0;
  return holds;
}

function operands(packed: boolean): {
  x: tf.Tensor2D;
  gain: tf.Tensor1D;
  outer: tf.Tensor2D;
  matrices: StoredMatrix[];
} {
  const random = createRandom(1);
  const values = (count: number): Float32Array =>
    Float32Array.from({ length: count }, () => 2 * random.uniform() - 1);
  const rows = Math.max(...ROWS);
  const weights = values(OUTPUTS * INPUTS);
  const size = { rows: OUTPUTS, columns: INPUTS };
  const matrices: StoredMatrix[] = [
    { format: 'f32', data: tf.tensor2d(weights, [OUTPUTS, INPUTS]), ...size },
  ];
  if (packed) {
    const upper = new Uint16Array(2 * Math.ceil(weights.length / 2));
    new Uint32Array(weights.buffer).forEach((bits, i) => (upper[i] = bits >>> 16));
    matrices.push({ format: 'bf16', data: tf.tensor1d(new Int32Array(upper.buffer), 'int32'), ...size });
  }
  return {
    x: tf.tensor2d(values(rows * INPUTS), [rows, INPUTS]),
    gain: tf.tensor1d(values(INPUTS)),
    outer: tf.tensor2d(values(INPUTS * RANK), [INPUTS, RANK]),
    matrices,
  };
}
