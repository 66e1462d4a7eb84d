/**
 * Whether kernels may sum over subgroups on the open engine: where the device has them and they give what the plain
 * sums give, within rounding, and the same bits every time. Until it is checked kernels sum the plain way.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../gpu/engine';
import { createRandom } from '../../base/random';
import { adapterTraits, matrixProduct } from '../matmul';
import { rmsNorm } from '../rms-norm';

/** Of the largest value: some hundred times the rounding of the sums below. */
const TOLERANCE = 2e-5;
const RUNS = 3;

/** Sizes at which some invocations, and in the last round most of them, have nothing to add. */
const ROWS = 3;
const INPUTS = 1003;
const OUTPUTS = 37;

/**
 * Checks once, and lets the engine's kernels sum over subgroups if all is well.
 *
 * @param subgroupSize least invocations of a subgroup, 0 for none
 * @returns whether kernels sum over subgroups from now on
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function verifySubgroups(
  engine: Engine,
  subgroupSize = engine.capabilities?.subgroupSize ?? 0,
): Promise<boolean> {
  if (engine.backend !== 'webgpu' || subgroupSize === 0) return false;
  const traits = adapterTraits();
  if (traits.subgroupSize > 0) return true;
  const { x, weight, gain } = operands();
  const sums = async (): Promise<Float32Array> => {
    const results = tf.tidy(() => {
      const matrix = { format: 'f32' as const, data: weight, rows: OUTPUTS, columns: INPUTS };
      const y = matrixProduct('nt', x, matrix, {}, 'few-rows');
      const [dx] = tf.grads((input: tf.Tensor) => rmsNorm(input as tf.Tensor2D, gain, 1e-6))([x], x);
      return tf.concat([y, rmsNorm(x, gain, 1e-6), dx].map((tensor) => tf.reshape(tensor, [-1])));
    });
    const values = Float32Array.from(await results.data());
    results.dispose();
    return values;
  };
  const expected = await sums();
  traits.subgroupSize = subgroupSize;
  const runs: Float32Array[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await sums());
  tf.dispose([x, weight, gain]);
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const holds = runs.every((values) =>
    values.every(
      (value, i) => value === runs[0][i] && Math.abs(value - expected[i]) <= TOLERANCE * largest, // NaN fails
    ),
  );
  if (!holds) traits.subgroupSize = 0;
  return holds;
}

function operands(): { x: tf.Tensor2D; weight: tf.Tensor2D; gain: tf.Tensor1D } {
  const random = createRandom(1);
  const values = (count: number): Float32Array =>
    Float32Array.from({ length: count }, () => 2 * random.uniform() - 1);
  return {
    x: tf.tensor2d(values(ROWS * INPUTS), [ROWS, INPUTS]),
    weight: tf.tensor2d(values(OUTPUTS * INPUTS), [OUTPUTS, INPUTS]),
    gain: tf.tensor1d(values(INPUTS)),
  };
}
