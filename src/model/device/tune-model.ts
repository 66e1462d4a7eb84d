/**
 * The products of a model that are worth timing when it is loaded: those by its base weights, as decoding and
 * training compute them (projections of one input together): forward, and in training the gradient by the input. Products with the
 * adapter's thin matrices take the choice by rule, and the head has tiles of its own.
 */
import type { Engine } from '../../gpu/engine';
import { checkKeys } from '../../base/known-keys';
import { adapterTraits } from '../../ops/matmul';
import {
  restoreTiles,
  shapeKey,
  tileCode,
  tilesOfCode,
  type ProductShape,
  type TileChoices,
} from '../../ops/matmul/tiles';
import { tuneTiles } from '../../ops/matmul/tune';
import { verifyF16 } from '../../ops/verify/f16';
import type { WeightFormat } from '../../ops/lib/weight-load.wgsl';
import type { ModelConfig } from '../config';
import { projectionShape } from '../files/tensor-table';
import { projectionFields } from '../weights';

/** What decides the products of a run. */
interface TunedShape {
  weights: WeightFormat;
  /** Of products forward (`LoraConfig.arithmetic`). */
  arithmetic?: 'f32' | 'f16';
  /** Rows that are decoded together: prompts times samples. */
  decodeRows: number;
  /** Padded tokens of one training pass. */
  trainRows: number;
}

export interface TuneOptions extends TunedShape {
  /** Choices that were made on this adapter before; shapes among them are not timed again. */
  known?: TileChoices;
  /** Longest time to spend, in milliseconds. */
  budgetMs?: number;
  /** What `modelTileCode` gave of another run: its tiles, and no others. Nothing is timed. */
  code?: string;
}

/**
 * Chooses the tiles of `engine`'s products by a short timing; on wasm and cpu there is nothing to choose. The choice
 * decides the order of sums, and so belongs to what a run was made on.
 *
 * @returns all choices that hold now; pass them as `known` to get the same numbers again
 * @throws MarbleError when the device was lost or refused a kernel
 */
export async function tuneModel(
  engine: Engine,
  config: ModelConfig,
  options: TuneOptions,
): Promise<TileChoices> {
  const shape = { weights: true, arithmetic: true, decodeRows: true, trainRows: true } as const;
  checkKeys('tuneModel', options, { ...shape, known: true, budgetMs: true, code: true });
  const { weights, known = {}, budgetMs, code } = options;
  if (engine.backend !== 'webgpu') return {};
  await verifyF16(engine, weights);
  const shapes = modelShapes(config, options);
  if (code !== undefined) {
    restoreTiles(tilesOfCode(shapes, code), adapterTraits());
    return tuneTiles(engine, shapes, -1);
  }
  // What was remembered of other shapes stays out of a new run: its own say all that decides its sums.
  const own = new Set(shapes.map(shapeKey));
  const taken = Object.entries(known).filter(([key]) => budgetMs === 0 || own.has(key));
  restoreTiles(Object.fromEntries(taken), adapterTraits());
  return tuneTiles(engine, shapes, budgetMs);
}

/** The choices of a run for its link, some 40 characters. */
export function modelTileCode(config: ModelConfig, options: TunedShape, choices: TileChoices): string {
  return tileCode(modelShapes(config, options), choices);
}

/** In the order of their weight in a run: all rows being decoded, training, and the fewer rows towards a batch's end. */
function modelShapes(
  config: ModelConfig,
  { weights: format, arithmetic, decodeRows, trainRows }: TunedShape,
): ProductShape[] {
  const forward = (rows: number, outputs: number, inputs: number): ProductShape => ({
    direction: 'nt',
    format,
    m: rows,
    n: outputs,
    k: inputs,
    ...(arithmetic === 'f16' && { half: true }),
  });
  const products = projectionFields.map((field): [number, number] => {
    const { segments, inputs } = projectionShape(field, config);
    return [segments.reduce((sum, outputs) => sum + outputs, 0), inputs];
  });
  const decoding = (rows: number): ProductShape[] =>
    products.map(([outputs, inputs]) => forward(rows, outputs, inputs));
  const training = products.flatMap(([outputs, inputs]): ProductShape[] => [
    forward(trainRows, outputs, inputs),
    { direction: 'nn', format, m: trainRows, n: inputs, k: outputs },
  ]);
  const fewer: ProductShape[] = [];
  for (let rows = decodeRows >> 1; rows >= 1; rows >>= 1) fewer.push(...decoding(rows));
  return [...decoding(decodeRows), ...training, ...fewer];
}
