/**
 * Times the few tiles that a matrix product may take on the adapter at hand, once per shape, at load. Every candidate
 * computes the same sums, if not in the same order, so a run repeats to the bit only under the same choices: they
 * belong to what a run's machine is, and one that goes on takes them over with `restoreTiles` and times nothing.
 *
 * What is timed repeats one product on operands that stay in the caches where they fit, which a model's own weights do
 * not; the order of the candidates is what it is for.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { AdapterTraits } from '../../gpu/capabilities';
import { compileAhead } from '../../gpu/compile-ahead';
import type { Engine } from '../../gpu/engine';
import { adapterTraits, matrixProduct, type StoredMatrix } from './index';
import {
  candidates,
  f16Form,
  rememberTile,
  shapeKey,
  tunedTiles,
  type ProductShape,
  type TileChoice,
  type TileChoices,
} from './tiles';

/** Timings of a candidate, of which the shortest counts. */
const TIMED_RUNS = 3;

/** A timing lasts so long at least, or so many empty waits: a single product may be too short to be told from the wait. */
const SHORT_MS = 4;
const WAITS = 4;
/** Most products in one timing. */
const REPEATS = 512;

/**
 * @param shapes in the order of their weight: when the time is over, those that are left keep the choice by rule
 * @param budgetMs longest time that may be spent, but for the candidate that is running then; kernels are compiled before,
 *   side by side
 * @returns all choices that are tuned now, by shape; nothing is timed where there is a choice already
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function tuneTiles(
  engine: Engine,
  shapes: readonly ProductShape[],
  budgetMs = 3000,
): Promise<TileChoices> {
  const traits = adapterTraits();
  const untimed = shapes.filter((shape) => !(shapeKey(shape) in tunedTiles(traits)));
  if (budgetMs > 0)
    await compileAhead(
      () => compileAll(untimed, traits),
      () => Promise.resolve(),
    );
  const end = performance.now() + budgetMs;
  for (const shape of untimed) {
    if (performance.now() > end) break;
    if (shapeKey(shape) in tunedTiles(traits)) continue;
    const { a, b } = operands(shape);
    const best = await fastestTile(shape, traits, (choice) => {
      if (performance.now() > end) return null;
      return shortestTime(engine, () => matrixProduct(shape.direction, a, b, {}, choice).dispose());
    });
    if (best) rememberTile(shape, best, traits);
    tf.dispose([a, b.data]);
  }
  engine.trim();
  return tunedTiles(traits);
}

/**
 * The fastest of a shape's candidates, then of that one and its form with f16 factors where there is one.
 *
 * @param time of one product, in milliseconds; null when the time for timing is over
 * @returns null where nothing could be timed
 */
export async function fastestTile(
  shape: ProductShape,
  traits: AdapterTraits,
  time: (choice: TileChoice) => Promise<number> | null,
): Promise<TileChoice | null> {
  let best: TileChoice | null = null;
  let least = Infinity;
  const consider = async (choice: TileChoice): Promise<void> => {
    const ms = await time(choice);
    if (ms !== null && ms < least) [best, least] = [choice, ms];
  };
  for (const choice of candidates(shape, traits)) await consider(choice);
  const half = best && f16Form(best, shape, traits);
  if (half) await consider(half);
  return best;
}

/** Asks for every candidate's kernel once. */
function compileAll(shapes: readonly ProductShape[], traits: AdapterTraits): Promise<void> {
  for (const shape of shapes) {
    const { a, b } = operands(shape);
    for (const choice of candidates(shape, traits)) {
      for (const form of [choice, f16Form(choice, shape, traits)])
        if (form) matrixProduct(shape.direction, a, b, {}, form).dispose();
    }
    tf.dispose([a, b.data]);
  }
  return Promise.resolve();
}

/**
 * Of one run, in milliseconds: of as many at once as it takes to outlast the wait for them several times.
 *
 * @param now milliseconds of a clock
 */
export async function shortestTime(
  engine: Pick<Engine, 'check' | 'waitMs'>,
  run: () => void,
  now = () => performance.now(),
): Promise<number> {
  const time = async (repeats: number): Promise<number> => {
    const start = now();
    for (let repeat = 0; repeat < repeats; repeat++) run();
    await engine.check();
    return now() - start;
  };
  await time(1); // warms up
  const least = Math.max(SHORT_MS, WAITS * engine.waitMs);
  let repeats = 1;
  let shortest = await time(repeats);
  while (shortest < least && repeats < REPEATS) shortest = await time((repeats *= 4));
  for (let timing = 1; timing < TIMED_RUNS; timing++) shortest = Math.min(shortest, await time(repeats));
  return Math.max(0, shortest - engine.waitMs) / repeats;
}

/** Ones in every format. */
function operands({ direction, format, m, n, k, half }: ProductShape): { a: tf.Tensor2D; b: StoredMatrix } {
  const a = tf.ones<tf.Rank.R2>(direction === 'tn' ? [k, m] : [m, k]);
  const [rows, columns] = direction === 'nt' ? [n, k] : [k, n];
  const size = rows * columns;
  if (format === 'f32') return { a, b: { format, data: tf.ones([rows, columns]), rows, columns } };
  const data = tf.fill([Math.ceil(size / 2)], 0x3f803f80, 'int32');
  return { a, b: { format, data, rows, columns, ...(half && { half }) } };
}
