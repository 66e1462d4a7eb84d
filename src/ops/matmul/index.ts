/**
 * Runs the matrix kernels: selects the tile, splits the contraction if the output is too small for the GPU, and binds
 * the buffers. The caller handles gradients and shape checks.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { AdapterTraits } from '../../gpu/capabilities';
import { emptyTensor, foldedWorkgroups, runElements, runKernel, webgpuBackend } from '../../gpu/kernel';
import { addedInputs, addedUniforms, gatedColumns, type Added } from './store.wgsl';
import { gemvKernel, sharedGroups, type SharedTile } from './gemv.wgsl';
import { lowRankInputs, lowRankUniforms, lowRankVariant, type LowRank } from './low-rank.wgsl';
import { COLUMNS, type Direction, type MatmulVariant, type Tile } from './variant';
import { matmulKernel } from './wgsl';
import { sumPartsKernel } from './column-sums.wgsl';
import type { ProductShape, TileChoice } from './tiles';
import { blockOfRows, chooseTile, partLength } from './tiles';
import { rowBlocks, type RowBlock } from '../lib/row-blocks';
import type { Weight } from '../lib/weight';
import type { WeightFormat } from '../lib/weight-load.wgsl';

/** The second factor: a matrix of `rows` x `columns` in one of the weight formats. */
export interface StoredMatrix {
  format: WeightFormat;
  data: tf.Tensor;
  rows: number;
  columns: number;
}

/** A weight as the second factor of a product. */
export function storedMatrix(weight: Weight): StoredMatrix {
  const { format, data, outputs, inputs } = weight;
  return { format, data, rows: outputs, columns: inputs };
}

/** `bias` and `lowRank` apply to `nt` only. */
export interface ProductEpilogue extends Added {
  scale?: number;
  /** An adapter's part. `scale` does not apply to it. */
  lowRank?: LowRank;
  /**
   * Returns [m, n / 2]: silu of the first half of the columns times the second half. For `nt` and a matrix of one row
   * block only, and only `lowRank` may be added.
   */
  gated?: boolean;
}

/** Traits of the open adapter. */
export function adapterTraits(): AdapterTraits {
  return webgpuBackend().traits;
}

/**
 * C [m, n] = scale * A B + bias or residual + an adapter's part, for a `direction` of wgsl.ts.
 *
 * @param a [m, k], or [k, m] for `tn`
 * @param choice the tile; a rule chooses it by default
 */
export function matrixProduct(
  direction: Direction,
  a: tf.Tensor2D,
  b: StoredMatrix,
  { scale = 1, ...rest }: ProductEpilogue = {},
  choice?: TileChoice,
): tf.Tensor2D {
  const [m, k] = direction === 'tn' ? [a.shape[1], a.shape[0]] : a.shape;
  const n = direction === 'nt' ? b.rows : b.columns;
  const shape: ProductShape = { direction, m, n, k };
  const c = emptyTensor<tf.Rank.R2>([m, rest.gated ? n / 2 : n]);
  if (m === 0 || n === 0) return c;
  const tile = choice ?? chooseTile(shape, adapterTraits());
  const epilogue = { ...rest, scale };
  const blocks = rowBlocks(b, adapterTraits());
  if (tile === 'skinny' || tile.kind === 'shared') {
    const shared = tile === 'skinny' ? blockOfRows(m, adapterTraits()) : tile;
    for (const block of blocks) runGemv(shared, a, b, c, epilogue, block);
  } else if (direction === 'nt') {
    for (const block of blocks) runTiles(shape, tile, a, b, c, epilogue, block);
  } else addBlocks(shape, tile, a, b, c, epilogue, blocks);
  return c;
}

/** For a contraction across blocks of the matrix: each block adds to the sum of those before, and the last writes C. */
function addBlocks(
  shape: ProductShape,
  tile: Tile,
  a: tf.Tensor2D,
  b: StoredMatrix,
  c: tf.Tensor2D,
  epilogue: Epilogue,
  blocks: readonly RowBlock[],
): void {
  if (blocks.length === 1) {
    runTiles(shape, tile, a, b, c, epilogue, blocks[0]);
    return;
  }
  let { residual } = epilogue;
  blocks.forEach((block, index) => {
    const sum = index === blocks.length - 1 ? c : emptyTensor<tf.Rank.R2>([shape.m, shape.n]);
    runTiles(shape, tile, a, b, sum, { ...epilogue, residual }, block);
    if (index > 0) residual!.dispose();
    residual = sum;
  });
}

type Epilogue = ProductEpilogue & { scale: number };

const aligned = (length: number): boolean => length % 4 === 0;

function optionalInputs(epilogue: ProductEpilogue): Record<string, tf.Tensor | null> {
  return { ...addedInputs(epilogue), ...lowRankInputs(epilogue.lowRank) };
}

function epilogueUniforms(epilogue: ProductEpilogue, columns: number): Record<string, number> {
  return { ...addedUniforms(epilogue, columns), ...lowRankUniforms(epilogue.lowRank) };
}

function epilogueVariant(epilogue: ProductEpilogue): Pick<MatmulVariant, 'lowRank' | 'gated'> {
  const lowRank = lowRankVariant(epilogue.lowRank);
  return epilogue.gated ? { lowRank, gated: true } : { lowRank };
}

/** Columns that the tiles of a product with `n` columns cover. */
const tiledColumns = (n: number, { gated }: ProductEpilogue): number => (gated ? gatedColumns(n) : n);

function runGemv(
  tile: SharedTile,
  x: tf.Tensor2D,
  w: StoredMatrix,
  y: tf.Tensor2D,
  epilogue: Epilogue,
  { first, count: outputs, data }: RowBlock,
): void {
  const [rows, inputs] = x.shape;
  const kernel = gemvKernel({
    tile,
    format: w.format,
    aligned: aligned(inputs),
    ...epilogueVariant(epilogue),
  });
  const { rowGroups, count } = sharedGroups(tile, rows, tiledColumns(outputs, epilogue));
  runKernel(kernel, {
    inputs: { x, w: data, ...optionalInputs(epilogue) },
    outputs: { y },
    uniforms: {
      rows,
      n: w.rows,
      inputs,
      row_groups: rowGroups,
      first,
      scale: epilogue.scale,
      ...epilogueUniforms(epilogue, w.rows),
    },
    workgroups: foldedWorkgroups(count),
    flops: 2 * rows * outputs * inputs,
  });
}

function runTiles(
  shape: ProductShape,
  tile: Tile,
  a: tf.Tensor2D,
  b: StoredMatrix,
  c: tf.Tensor2D,
  { scale, ...added }: Epilogue,
  { first, count, data }: RowBlock,
): void {
  const { direction, m, n, k } = shape;
  const steps = direction === 'nt' ? k : count;
  const columns = direction === 'nt' ? count : n;
  const part = steps < k ? steps : partLength(tile, shape, adapterTraits());
  const parts = Math.max(1, Math.ceil(steps / part));
  const whole = parts === 1;
  const here = whole ? added : {}; // for a split contraction, another kernel adds the parts and the residual
  const target = whole ? c : emptyTensor<tf.Rank.R3>([parts, m, n]);
  const kernel = matmulKernel({
    direction,
    format: b.format,
    tile,
    aligned: { m: aligned(m), n: aligned(n), k: aligned(k) },
    ...epilogueVariant(here),
  });
  runKernel(kernel, {
    inputs: { a, b: data, ...optionalInputs(here) },
    outputs: { c: target },
    uniforms: { m, n, k, part, first, scale, ...epilogueUniforms(here, n) },
    workgroups: [
      Math.ceil(tiledColumns(columns, here) / (COLUMNS * tile.across)),
      Math.ceil(m / (tile.rows * tile.down)),
      parts,
    ],
    flops: 2 * m * columns * steps,
  });
  if (whole) return;
  const { residual } = added; // only `nt` adds a bias or adapter, and it is never split
  runElements(sumPartsKernel(residual !== undefined), m * n, {
    inputs: { parts: target, ...(residual ? { residual } : {}) },
    outputs: { result: c },
    uniforms: { count: parts },
  });
  target.dispose();
}
