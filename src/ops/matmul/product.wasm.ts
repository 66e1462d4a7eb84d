/**
 * C = A B of float32 matrices in the memory of tfjs's wasm backend, in WebAssembly of our own. tfjs multiplies
 * batches one number at a time, and a single matrix by a copy of B that it packs anew for each product; and it takes no
 * strides, so that every other layout costs a copy before.
 *
 * Sums run over k in order, in parts of `part` which are then added up in order, each in one accumulator. With parts of
 * `TFJS_PART` this is to the bit what tfjs's batches give, with one part what its single matrices give. One long part goes
 * on, run by run, with the sums that stand in C, which changes no bit of them.
 */
import { heapMemory, scratchAddress } from '../../gpu/wasm-heap';
import * as w from '../lib/wasm-code';

/** Length of the sums that tfjs's kernel for batches adds up. */
export const TFJS_PART = 48;

/** The part of sums of length k that has the bits of tfjs: its kernel for batches does not take a batch of one. */
export function partOf(batch: number, k: number): number {
  return batch === 1 ? k : TFJS_PART;
}

/** Multiplications in one product of a batch from which on its sums are taken whole. */
export const LARGE_PRODUCT = 260_000;

/** The same for products of a batch as `product` takes them. */
export function partOfProduct(batch: number, m: number, n: number, k: number): number {
  return m * n * k >= LARGE_PRODUCT ? k : partOf(batch, k);
}

/** All lengths and strides in bytes, but for the counts. A's element (i, k) lies at `a + i * rowA + k * stepA`. */
export interface StridedProduct {
  a: number;
  b: number;
  c: number;
  batch: number;
  m: number;
  n: number;
  k: number;
  part: number;
  /** From one matrix of the batch to the next. */
  nextA: number;
  nextB: number;
  nextC: number;
  rowA: number;
  stepA: number;
  /** B's element (k, j) lies at `b + k * rowB + j * stepB`. */
  rowB: number;
  /** 4 where left out. */
  stepB?: number;
  /** C's columns lie beside each other. */
  rowC: number;
  /** What the product is added to, where that is given: rows as long as C's, and how far they lie apart. */
  from?: number;
  rowFrom?: number;
  nextFrom?: number;
}

const order = [
  ...(['a', 'b', 'c', 'batch', 'm', 'n', 'k', 'part'] as const),
  ...(['nextA', 'nextB', 'nextC', 'rowA', 'stepA', 'rowB', 'stepB', 'rowC', 'packed'] as const),
  /** `goesOn`: sums begin with what stands in C. */
  ...(['from', 'rowFrom', 'nextFrom', 'goesOn'] as const),
];
const scratch = [
  ...(['i', 'j', 'done', 'left', 'pb', 'pc', 'panel', 'rowOfPanel', 'to'] as const),
  ...(['p0', 'p1', 'p2', 'p3'] as const),
];
type Name = (typeof order)[number] | (typeof scratch)[number];
const names: readonly Name[] = [...order, ...scratch];
const place = (name: Name): number => names.indexOf(name);
const get = (name: Name): w.Code => w.get(place(name));
const set = (name: Name, value: w.Code): w.Code => w.set(place(name), value);
const step = (name: Name, by: w.Code): w.Code => set(name, w.add(get(name), by));
const pointers = ['p0', 'p1', 'p2', 'p3'] as const;

const bytes = (count: w.Code): w.Code => w.multiply(count, w.constant(4));

/** Rows of C that are summed at once: each number of B is then used as often. */
const ROWS = 4;
/** Vectors of one row that are summed at once: of several rows, and of a row alone. */
const MOST_SUMS = 8;
/** Locals of the accumulators and of B's numbers, of four lanes and of one. */
const firstOf = { four: names.length, single: names.length + 2 * MOST_SUMS };

type Width = 32 | 16 | 8 | 4 | 1;

/** `rows` x `width` numbers of C at (i, j). */
function tile(rows: number, width: Width): w.Code {
  const lanes = width === 1 ? w.single : w.four;
  const vectors = width === 1 ? 1 : width / 4;
  const first = width === 1 ? firstOf.single : firstOf.four;
  const sum = (r: number, v: number): number => first + r * vectors + v;
  const factor = (v: number): number => first + (width === 1 ? ROWS : MOST_SUMS) + v;
  const rowsOf = (of: (r: number) => w.Code): w.Code => Array.from({ length: rows }, (_, r) => of(r)).flat();
  const columnsOf = (of: (v: number) => w.Code): w.Code =>
    Array.from({ length: vectors }, (_, v) => of(v)).flat();
  const multiplyAdd = [
    ...columnsOf((v) => w.set(factor(v), lanes.load(get('pb'), 16 * v))),
    ...rowsOf((r) =>
      columnsOf((v) =>
        w.set(
          sum(r, v),
          lanes.add(w.get(sum(r, v)), lanes.multiply(lanes.splat(get(pointers[r])), w.get(factor(v)))),
        ),
      ),
    ),
    ...step('pb', get('rowOfPanel')),
    ...rowsOf((r) => step(pointers[r], get('stepA'))),
    ...step('left', w.constant(-1)),
  ];
  const write = (combined: (r: number, v: number) => w.Code, afterRow: w.Code = []): w.Code => [
    ...set('pc', w.add(get('c'), w.add(w.multiply(get('i'), get('rowC')), bytes(get('j'))))),
    ...rowsOf((r) => [
      ...columnsOf((v) => lanes.store(get('pc'), combined(r, v), 16 * v)),
      ...step('pc', get('rowC')),
      ...afterRow,
    ]),
  ];
  const zeros = rowsOf((r) => columnsOf((v) => w.set(sum(r, v), lanes.zero)));
  const present = [
    ...set('pc', w.add(get('c'), w.add(w.multiply(get('i'), get('rowC')), bytes(get('j'))))),
    ...rowsOf((r) => [
      ...columnsOf((v) => w.set(sum(r, v), lanes.load(get('pc'), 16 * v))),
      ...step('pc', get('rowC')),
    ]),
  ];
  const part = (start: w.Code): w.Code => [
    ...set('left', w.subtract(get('k'), get('done'))),
    ...set('left', w.choose(get('part'), get('left'), w.less(get('part'), get('left')))),
    ...set(
      'p0',
      w.add(get('a'), w.add(w.multiply(get('i'), get('rowA')), w.multiply(get('done'), get('stepA')))),
    ),
    ...rowsOf((r) => (r === 0 ? [] : set(pointers[r], w.add(get(pointers[r - 1]), get('rowA'))))),
    ...set('pb', w.add(get('panel'), w.multiply(get('done'), get('rowOfPanel')))),
    ...start,
    ...w.loopWhile(get('left'), multiplyAdd),
    ...w.when(
      get('done'),
      write((r, v) => lanes.add(lanes.load(get('pc'), 16 * v), w.get(sum(r, v)))),
      w.when(
        get('from'),
        [
          ...set('pb', w.add(get('from'), w.add(w.multiply(get('i'), get('rowFrom')), bytes(get('j'))))),
          ...write(
            (r, v) => lanes.add(lanes.load(get('pb'), 16 * v), w.get(sum(r, v))),
            step('pb', get('rowFrom')),
          ),
        ],
        write((r, v) => w.get(sum(r, v))),
      ),
    ),
    ...step('done', get('part')),
  ];
  return [
    ...set('done', w.constant(0)),
    ...part(w.when(get('goesOn'), present, zeros)),
    ...w.loopWhile(w.less(get('done'), get('k')), part(zeros)),
    ...step('i', w.constant(rows)),
  ];
}

/** Copies `width` columns of B from j on to where their numbers of one k lie beside each other, and of the next behind. */
const pack = (width: Width): w.Code => [
  ...set('pb', get('panel')),
  ...set('to', get('packed')),
  ...set('left', get('k')),
  ...w.loopWhile(get('left'), [
    ...set('p0', get('pb')),
    ...Array.from({ length: width }, (_, x) => [
      ...w.single.store(get('to'), w.single.load(get('p0')), 4 * x),
      ...step('p0', get('stepB')),
    ]).flat(),
    ...step('to', w.constant(4 * width)),
    ...step('pb', get('rowB')),
    ...step('left', w.constant(-1)),
  ]),
  ...set('panel', get('packed')),
  ...set('rowOfPanel', w.constant(4 * width)),
];

/** `width` columns of C from j on. */
const columns = (width: Width): w.Code => [
  ...set('panel', w.add(get('b'), w.multiply(get('j'), get('stepB')))),
  ...set('rowOfPanel', get('rowB')),
  ...(width > 8 ? [] : w.when(get('packed'), pack(width))),
  ...set('i', w.constant(0)),
  ...(width > 8 ? [] : w.loopWhile(w.atMost(w.add(get('i'), w.constant(ROWS)), get('m')), tile(ROWS, width))),
  ...w.loopWhile(w.less(get('i'), get('m')), tile(1, width)),
  ...step('j', w.constant(width)),
];

const fits = (width: Width): w.Code => w.atMost(w.add(get('j'), w.constant(width)), get('n'));

const body: w.Code = w.loopWhile(get('batch'), [
  ...set('j', w.constant(0)),
  ...w.when(w.less(w.add(get('packed'), get('m')), w.constant(ROWS)), w.loopWhile(fits(32), columns(32))),
  ...w.loopWhile(fits(8), columns(8)),
  ...w.loopWhile(fits(4), columns(4)),
  ...w.loopWhile(fits(1), columns(1)),
  ...step('a', get('nextA')),
  ...step('b', get('nextB')),
  ...step('c', get('nextC')),
  ...w.when(get('from'), step('from', get('nextFrom'))),
  ...step('batch', w.constant(-1)),
]);

const locals = [
  ...scratch.map(() => w.integer),
  ...new Array<number>(2 * MOST_SUMS).fill(w.four.type),
  ...new Array<number>(ROWS + 1).fill(w.single.type),
];

const run = w.onMemory(heapMemory, () =>
  w.moduleOf(
    order.map(() => w.integer),
    locals,
    body,
  ),
);

/** Rows of C from which on it pays to copy B's columns beside each other. */
const FEWEST_ROWS_PACKED = 32;

/** Sums of more terms than this go through them in runs. */
const MANY_TERMS = 512;

/** Terms of a run, so many that A's stay in the fastest cache while B's columns go over them. */
const termsOfRun = (m: number): number => Math.max(32, Math.min(256, Math.floor(8192 / m)));

/** Every number of C is written, also where k is 0. */
export function multiplyOnHeap(p: StridedProduct): void {
  const { m, n, k, stepB = 4 } = p;
  const { a, b, c, batch, part, nextA, nextB, nextC, rowA, stepA, rowB, rowC } = p;
  const { from = 0, rowFrom = 0, nextFrom = 0 } = p;
  const hasRuns = from === 0 && part >= k && k > MANY_TERMS;
  const most = hasRuns ? termsOfRun(m) : k;
  const packed = stepB !== 4 || (m >= FEWEST_ROWS_PACKED && n > 8) ? scratchAddress(32 * most) : 0;
  const product = run();
  for (let done = 0; done === 0 || done < k; done += most) {
    const [aAt, bAt, terms] = [a + done * stepA, b + done * rowB, Math.min(most, k - done)];
    // prettier-ignore
    product(aAt, bAt, c, batch, m, n, terms, part, nextA, nextB, nextC, rowA, stepA, rowB, stepB, rowC, packed, from, rowFrom, nextFrom, done);
  }
}
