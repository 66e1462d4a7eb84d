/**
 * Kernels in WebAssembly that go over the rows of float32 matrices in the memory of tfjs's backend: sums of each row, and
 * what is computed of every number by itself, four at a time.
 */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { countsOnly } from '../../gpu/dry/work';
import { heapAddress, heapMemory } from '../../gpu/wasm-heap';
import * as w from './wasm-code';

/** A computation on numbers by their names: matrices' at the present row and column, and those of the row or the call. */
export type Formula<Name extends string> = (lanes: w.Lanes, of: (name: Name) => w.Code) => w.Code;

/** One thing done to a row. Later ones see what earlier ones have computed. */
export type RowPart<Matrix extends string, Num extends string> =
  /** A number of the row: a sum over its columns, or the largest. */
  | { sum: Num; of: Formula<Matrix | Num> }
  | { largest: Num; of: Formula<Matrix | Num> }
  /** A number from others, or from a matrix at the row's beginning. */
  | { number: Num; is: Formula<Matrix | Num> }
  /** Writes a number of the row at the row's beginning. */
  | { keep: Num; at: Matrix }
  /** Writes all columns of some matrices. None of them may be read by another one's formula. */
  | { each: Partial<Record<Matrix, Formula<Matrix | Num>>> };

export interface RowKernel<Matrix extends string, Given extends string, Found extends string> {
  matrices: readonly Matrix[];
  /** Numbers of the call. */
  given?: readonly Given[];
  /** Numbers of each row. */
  found?: readonly Found[];
  parts: readonly RowPart<NoInfer<Matrix>, NoInfer<Given | Found>>[];
}

/** Where a matrix begins, and how far its rows lie apart: both in bytes. A stride of 0 is the same row for all. */
export type Rows = readonly [address: number, stride: number];

/** A tensor's last axis as rows, one behind the other. */
export function rowsOf(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 4 * (tensor.shape.at(-1) ?? 1)];
}

/** All of a tensor as one row, the same for all rows. */
export function sameRow(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 0];
}

type Run<Matrix extends string, Given extends string> = (
  rows: number,
  width: number,
  matrices: Readonly<Record<Matrix, Rows>>,
  given: Readonly<Record<Given, number>>,
) => void;

/** Of one number in one part: a few operations, as long as reading and writing it takes. */
const FLOPS_PER_PART = 4;

export function defineRowKernel<
  Matrix extends string,
  Given extends string = never,
  Found extends string = never,
>(kernel: RowKernel<Matrix, Given, Found>): Run<Matrix, Given> {
  const { matrices, given = [] as Given[], parts } = kernel;
  const run = w.onMemory(heapMemory, () => assemble(kernel));
  const flopsPerNumber = FLOPS_PER_PART * parts.length;
  return (rows, width, at, numbers) => {
    if (countsOnly(flopsPerNumber * rows * width)) return;
    const values = [rows, 4 * width];
    for (const matrix of matrices) values.push(...at[matrix]);
    for (const name of given) values.push(numbers[name]);
    run()(...values);
  };
}

function assemble<Matrix extends string, Given extends string, Found extends string>({
  matrices,
  given = [],
  found = [],
  parts,
}: RowKernel<Matrix, Given, Found>): Uint8Array<ArrayBuffer> {
  type Num = Given | Found;
  const numbers: readonly Num[] = [...given, ...found];
  const [rows, bytes] = [0, 1];
  const baseOf = (matrix: Matrix): number => 2 + 2 * matrices.indexOf(matrix);
  const numberAt = (name: Num): number => 2 + 2 * matrices.length + numbers.indexOf(name);
  const column = 2 + 2 * matrices.length + numbers.length;
  const fourSums = column + 1;
  const place = (matrix: Matrix): w.Code => w.add(w.get(baseOf(matrix)), w.get(column));
  const isMatrix = (name: Matrix | Num): name is Matrix => matrices.includes(name as Matrix);
  const valueOf =
    (lanes: w.Lanes) =>
    (name: Matrix | Num): w.Code =>
      isMatrix(name) ? lanes.load(place(name)) : lanes.fill(w.get(numberAt(name)));
  const overColumns = (width: number, body: w.Code): w.Code =>
    w.loopWhile(w.atMost(w.add(w.get(column), w.constant(4 * width)), w.get(bytes)), [
      ...body,
      ...w.set(column, w.add(w.get(column), w.constant(4 * width))),
    ]);
  const fromStart = (body: w.Code): w.Code => [...w.set(column, w.constant(0)), ...body];
  const one = valueOf(w.single);
  const codeOf = (part: RowPart<Matrix, Num>): w.Code => {
    if ('number' in part) return fromStart(w.set(numberAt(part.number), part.is(w.single, one)));
    if ('keep' in part) return w.single.store(w.get(baseOf(part.at)), w.get(numberAt(part.keep)));
    if ('sum' in part) {
      const total = numberAt(part.sum);
      const next = w.set(total, w.single.add(w.get(total), part.of(w.single, one)));
      const nextFour = w.set(fourSums, w.four.add(w.get(fourSums), part.of(w.four, valueOf(w.four))));
      const lanes = [0, 1, 2, 3].map((lane) => w.vector.lane(w.get(fourSums), lane));
      return [
        ...w.set(fourSums, w.four.zero),
        ...fromStart(overColumns(4, nextFour)),
        ...w.set(
          total,
          lanes.reduce((a, b) => w.single.add(a, b)),
        ),
        ...overColumns(1, next),
      ];
    }
    if ('largest' in part) {
      const most = numberAt(part.largest);
      const next = w.set(most, w.larger(w.get(most), part.of(w.single, one)));
      return [...w.set(most, w.number(-Infinity)), ...fromStart(overColumns(1, next))];
    }
    const written = Object.entries(part.each) as [Matrix, Formula<Matrix | Num>][];
    const body = (lanes: w.Lanes): w.Code =>
      written.flatMap(([matrix, formula]) => lanes.store(place(matrix), formula(lanes, valueOf(lanes))));
    return fromStart([...overColumns(4, body(w.four)), ...overColumns(1, body(w.single))]);
  };
  const body = w.loopWhile(w.get(rows), [
    ...parts.flatMap(codeOf),
    ...matrices.flatMap((matrix) => {
      const base = baseOf(matrix);
      return w.set(base, w.add(w.get(base), w.get(base + 1)));
    }),
    ...w.set(rows, w.add(w.get(rows), w.constant(-1))),
  ]);
  const integers = new Array<number>(2 + 2 * matrices.length).fill(w.integer);
  const floats = (names: readonly string[]): number[] => names.map(() => w.single.type);
  return w.moduleOf([...integers, ...floats(given)], [...floats(found), w.integer, w.four.type], body);
}
