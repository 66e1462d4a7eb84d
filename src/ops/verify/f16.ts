/**
 * Whether products may be in f16 on the open engine: where the device has it and they are what the same tiles give in f32.
 * Until it is checked every product is f32. Gradients by the input take it by themselves where it is faster; products
 * forward where a run asks for it (`load-policy.ts`), and then all of them.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { AdapterTraits } from '../../gpu/capabilities';
import type { Engine } from '../../gpu/engine';
import { createRandom } from '../../base/random';
import { adapterTraits, matrixProduct, rowUnits, type StoredMatrix } from '../matmul';
import { rowBlocks } from '../lib/row-blocks';
import { f16Tile, type TileChoice } from '../matmul/tiles';
import type { Tile } from '../matmul/variant';
import type { WeightFormat } from '../lib/weight-load.wgsl';

/** Of the norm of a row: three times the usual error of these sums, and less than f16 sums throughout would be off. */
const TOLERANCE = 2 ** -11;

/** [steps, columns]: lengths that 4 divides and lengths that nothing does, and sums of many f16 parts. */
const SIZES = [
  [4003, 43],
  [4004, 44],
] as const;

/** One of those that software adapters time, and one of those that only graphics cards do. */
const REGISTER: Tile = { kind: 'register', rows: 4, columns: 4, across: 8, down: 8 };
const WORKGROUP: Tile = { kind: 'workgroup', rows: 4, columns: 4, across: 16, down: 16 };

/** Of the rows of dY: from a last token's share of a long batch to an exploding gradient, and none. */
const ROW_MAGNITUDES = [1, 1e-12, 1e4, 0, 3e-8, 1e-3, 20, 1e-5, 0, 1e2, 1e-10, 0.3, 5e-7];
/** Of W's rows, again and again; dY has the inverse along them, so that every step counts. */
const STEP_MAGNITUDES = [1, 1e-9, 0.02, 0, 1e6, 1, 0.5];

/**
 * Checks once for each format, and lets the engine's products back by such weights use f16 if all is well.
 *
 * @returns whether products back by weights of this format may use f16 from now on
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function verifyF16(
  engine: Engine,
  format: WeightFormat,
  product = matrixProduct,
): Promise<boolean> {
  if (!hasF16(engine)) return false;
  const traits = adapterTraits();
  if (traits.f16.includes(format)) return true;
  for (const [steps, columns] of SIZES) {
    const { a: dy, b: w } = operands(format, steps, columns);
    let close = true;
    for (const tile of tilesOf(traits))
      close &&= await bothAgree(
        [f16Tile(tile), tile].map((each) => () => product('nn', dy, w, {}, each)),
        columns,
      );
    tf.dispose([dy, w.data]);
    if (!close) return false;
  }
  traits.f16 = [...traits.f16, format];
  return true;
}

/**
 * @returns whether products forward by weights in bf16 are right in f16 here, in tiles and for few rows
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function verifyForwardF16(engine: Engine, product = matrixProduct): Promise<boolean> {
  if (!hasF16(engine)) return false;
  const choices: TileChoice[] = ['few-rows', ...tilesOf(adapterTraits())];
  for (const [steps, outputs] of SIZES) {
    const { a: x, b: w } = operands('bf16', steps, outputs, 'nt');
    let close = true;
    for (const choice of choices) {
      const forms = [{ ...w, half: true as const }, w];
      close &&= await bothAgree(
        forms.map((matrix) => () => product('nt', x, matrix, {}, choice)),
        outputs,
      );
    }
    tf.dispose([x, w.data]);
    if (!close) return false;
  }
  return true;
}

/** Weights below 32 times this in magnitude: with inputs below 32, a sum of eight products is then below 2^15. */
const MOST_UNIT = 4;

/** Whether no product forward by any of these can overflow in f16, whatever the inputs are. */
export async function weightsFitF16(matrices: readonly StoredMatrix[]): Promise<boolean> {
  const largest = tf.tidy(() => {
    const blocks = matrices.flatMap((matrix) =>
      rowBlocks(matrix, adapterTraits()).map((block) => tf.max(rowUnits(matrix, block))),
    );
    return tf.max(tf.stack(blocks));
  });
  const [unit] = await largest.data();
  largest.dispose();
  return unit <= MOST_UNIT;
}

export const hasF16 = ({ backend, capabilities }: Engine): boolean =>
  backend === 'webgpu' && capabilities !== null && capabilities.features.includes('shader-f16');

const tilesOf = ({ isSoftware }: AdapterTraits): Tile[] => (isSoftware ? [REGISTER] : [REGISTER, WORKGROUP]);

/** Whether the rows of the first are those of the second, the product in f32. */
async function bothAgree(products: readonly (() => tf.Tensor2D)[], columns: number): Promise<boolean> {
  const [half, full] = products.map((run) => {
    const bad = tf.fill([ROW_MAGNITUDES.length, columns], NaN); // what is not written stays wrong
    bad.dispose();
    return run();
  });
  const agree = rowsAgree(await half.data(), await full.data(), columns);
  tf.dispose([half, full]);
  return agree;
}

/** Whether each row differs by at most `TOLERANCE` of its norm: a row of zeros not at all, and what is not finite always. */
function rowsAgree(actual: ArrayLike<number>, expected: ArrayLike<number>, columns: number): boolean {
  for (let first = 0; first < expected.length; first += columns) {
    let [difference, norm] = [0, 0];
    for (let i = first; i < first + columns; i++) {
      difference += (actual[i] - expected[i]) ** 2;
      norm += expected[i] ** 2;
    }
    if (!(Math.sqrt(difference) <= TOLERANCE * Math.sqrt(norm))) return false;
  }
  return true;
}

/** dY and W, or for `nt` x and W, whose inputs are the steps. */
function operands(
  format: WeightFormat,
  steps: number,
  columns: number,
  direction: 'nn' | 'nt' = 'nn',
): { a: tf.Tensor2D; b: StoredMatrix } {
  const random = createRandom(1);
  const values = (
    rows: number,
    length: number,
    magnitude: (row: number, at: number) => number,
  ): Float32Array =>
    // more positive than not: long sums grow, past what f16 holds
    Float32Array.from(
      { length: rows * length },
      (_, i) => (1.5 * random.uniform() - 0.5) * magnitude(Math.floor(i / length), i % length),
    );
  const ofStep = (step: number): number =>
    direction === 'nt' ? 1 : STEP_MAGNITUDES[step % STEP_MAGNITUDES.length];
  const rows = ROW_MAGNITUDES.length;
  const a = tf.tensor2d(
    values(rows, steps, (row, step) => ROW_MAGNITUDES[row] / (ofStep(step) || 1)),
    [rows, steps],
  );
  const size = direction === 'nt' ? { rows: columns, columns: steps } : { rows: steps, columns };
  const weights = values(size.rows, size.columns, ofStep);
  if (format === 'f32') return { a, b: { format, data: tf.tensor2d(weights, [steps, columns]), ...size } };
  const upper = new Uint16Array(2 * Math.ceil(weights.length / 2));
  new Uint32Array(weights.buffer).forEach((bits, i) => (upper[i] = bits >>> 16));
  const data = tf.tensor1d(new Int32Array(upper.buffer), 'int32');
  return { a, b: { format, data, ...size } };
}
