/**
 * Times the few tiles that a matrix product may take on the adapter at hand, once per shape, at load. The result can be
 * kept under `Capabilities.adapterName` and restored with `restoreTiles`; nothing depends on it but speed. Every
 * candidate computes the same sums, if not in the same order, so a run repeats to the bit only under the same choices:
 * they belong to what a checkpoint's machine is.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../gpu/engine';
import { adapterTraits, matrixProduct, type StoredMatrix } from './matrix-product';
import { candidates, rememberTile, shapeKey, tunedTiles, type ProductShape, type TileChoice } from './tiles';

const TIMED_RUNS = 3;

/**
 * @returns all choices that are tuned now, by shape; nothing is timed where there is one candidate or a choice already
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function tuneTiles(
  engine: Engine,
  shapes: readonly ProductShape[],
): Promise<Record<string, TileChoice>> {
  for (const shape of shapes) {
    if (shapeKey(shape) in tunedTiles()) continue;
    const choices = candidates(shape, adapterTraits());
    const { a, b } = operands(shape);
    let best: { choice: TileChoice; ms: number } | null = null;
    for (const choice of choices) {
      const ms = await shortestTime(engine, () => matrixProduct(shape.direction, a, b, {}, choice).dispose());
      if (!best || ms < best.ms) best = { choice, ms };
    }
    if (best) rememberTile(shape, best.choice);
    tf.dispose([a, b.data, ...(b.scales ? [b.scales] : [])]);
  }
  engine.trim();
  return tunedTiles();
}

async function shortestTime(engine: Engine, run: () => void): Promise<number> {
  run(); // compiles
  await engine.check();
  let shortest = Infinity;
  for (let time = 0; time < TIMED_RUNS; time++) {
    const start = performance.now();
    run();
    await engine.check();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** Ones in every format. */
function operands({ direction, format, m, n, k }: ProductShape): { a: tf.Tensor2D; b: StoredMatrix } {
  const a = tf.ones<tf.Rank.R2>(direction === 'tn' ? [k, m] : [m, k]);
  const [rows, columns] = direction === 'nt' ? [n, k] : [k, n];
  const size = rows * columns;
  if (format === 'f32') return { a, b: { format, data: tf.ones([rows, columns]), rows, columns } };
  if (format === 'bf16') {
    return { a, b: { format, data: tf.fill([Math.ceil(size / 2)], 0x3f803f80, 'int32'), rows, columns } };
  }
  const data = tf.fill([Math.ceil(size / 4)], 0x01010101, 'int32');
  const group = 32;
  return {
    a,
    b: { format, data, rows, columns, group, scales: tf.ones([rows * Math.ceil(columns / group)]) },
  };
}

/** The products of one linear layer at `rows` rows: forward and, where it is trained through, backward. */
export function linearShapes(
  format: ProductShape['format'],
  [outputs, inputs]: readonly [number, number],
  rows: number,
  trained: { input: boolean; weight: boolean },
): ProductShape[] {
  return [
    { direction: 'nt', format, m: rows, n: outputs, k: inputs },
    ...(trained.input ? [{ direction: 'nn' as const, format, m: rows, n: inputs, k: outputs }] : []),
    ...(trained.weight
      ? [{ direction: 'tn' as const, format: 'f32' as const, m: outputs, n: inputs, k: rows }]
      : []),
  ];
}
