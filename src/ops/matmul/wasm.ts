/**
 * C = A B of float32 matrices in the memory of tfjs's wasm backend, in WebAssembly of our own. tfjs multiplies
 * batches one number at a time, and a single matrix by a copy of B that it packs anew for each product; and it takes no
 * strides, so that every other layout costs a copy before.
 *
 * Sums run over k in order, each in one accumulator that begins with 0 or with what the product is added to. A long sum
 * goes on, run by run, with what stands in C.
 */
import { countsOnly } from '../../gpu/dry/work';
import { heapMemory, scratchAddress } from '../../gpu/wasm-heap';
import * as w from '../lib/wasm-code';

/** All lengths and strides in bytes, but for the counts. A's element (i, k) lies at `a + i * rowA + k * stepA`. */
export interface StridedProduct {
  a: number;
  b: number;
  c: number;
  m: number;
  n: number;
  k: number;
  /** Matrices one after the other, 1 where left out, and from one to the next. */
  batch?: number;
  nextA?: number;
  nextB?: number;
  nextC?: number;
  rowA: number;
  /** 4 where left out. */
  stepA?: number;
  /** B's element (k, j) lies at `b + k * rowB + j * stepB`. */
  rowB: number;
  /** 4 where left out. */
  stepB?: number;
  /** C's columns lie beside each other. */
  rowC: number;
  /** What the product is added to, where that is given: rows as long as C's, as far apart as those where left out. */
  from?: number;
  rowFrom?: number;
}

const order = [
  ...(['a', 'b', 'c', 'batch', 'm', 'n', 'k'] as const),
  ...(['nextA', 'nextB', 'nextC', 'rowA', 'stepA', 'rowB', 'stepB', 'rowC', 'packed'] as const),
  ...(['from', 'rowFrom', 'nextFrom'] as const),
];
const scratch = [
  ...(['i', 'j', 'left', 'pb', 'pc', 'panel', 'rowOfPanel', 'to'] as const),
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
/** Locals of the accumulators, of B's numbers and of one of A's, of four lanes and of one. */
const firstOf = { four: names.length, single: names.length + 2 * MOST_SUMS + 1 };

type Width = 32 | 16 | 8 | 4 | 1;

/** `rows` x `width` numbers of C at (i, j). */
function tile(rows: number, width: Width): w.Code {
  const lanes = width === 1 ? w.single : w.four;
  const vectors = width === 1 ? 1 : width / 4;
  const first = width === 1 ? firstOf.single : firstOf.four;
  const sum = (r: number, v: number): number => first + r * vectors + v;
  const factor = (v: number): number => first + (width === 1 ? ROWS : MOST_SUMS) + v;
  const ofA = first + (width === 1 ? ROWS + 1 : 2 * MOST_SUMS);
  const rowsOf = (of: (r: number) => w.Code): w.Code => Array.from({ length: rows }, (_, r) => of(r)).flat();
  const columnsOf = (of: (v: number) => w.Code): w.Code =>
    Array.from({ length: vectors }, (_, v) => of(v)).flat();
  const multiplyAdd = [
    ...columnsOf((v) => w.set(factor(v), lanes.load(get('pb'), 16 * v))),
    ...rowsOf((r) => [
      ...w.set(ofA, lanes.splat(get(pointers[r]))), // once for all vectors: two loads of it take 2.6 times as long
      ...columnsOf((v) =>
        w.set(sum(r, v), lanes.add(w.get(sum(r, v)), lanes.multiply(w.get(ofA), w.get(factor(v))))),
      ),
    ]),
    ...step('pb', get('rowOfPanel')),
    ...rowsOf((r) => step(pointers[r], get('stepA'))),
    ...step('left', w.constant(-1)),
  ];
  /** Every row's vectors, where row 0 of the tile begins at `base`. */
  const overTile = (base: Name, row: Name, visit: (r: number, v: number) => w.Code): w.Code => [
    ...set('pc', w.add(get(base), w.add(w.multiply(get('i'), get(row)), bytes(get('j'))))),
    ...rowsOf((r) => [...columnsOf((v) => visit(r, v)), ...step('pc', get(row))]),
  ];
  return [
    ...set('left', get('k')),
    ...set('p0', w.add(get('a'), w.multiply(get('i'), get('rowA')))),
    ...rowsOf((r) => (r === 0 ? [] : set(pointers[r], w.add(get(pointers[r - 1]), get('rowA'))))),
    ...set('pb', get('panel')),
    ...w.when(
      get('from'),
      overTile('from', 'rowFrom', (r, v) => w.set(sum(r, v), lanes.load(get('pc'), 16 * v))),
      rowsOf((r) => columnsOf((v) => w.set(sum(r, v), lanes.zero))),
    ),
    ...w.loopWhile(get('left'), multiplyAdd),
    ...overTile('c', 'rowC', (r, v) => lanes.store(get('pc'), w.get(sum(r, v)), 16 * v)),
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
  ...new Array<number>(2 * MOST_SUMS + 1).fill(w.four.type),
  ...new Array<number>(ROWS + 2).fill(w.single.type),
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
  const { a, b, c, m, n, k, rowA, stepA = 4, rowB, stepB = 4, rowC, from = 0, rowFrom = rowC } = p;
  const { batch = 1, nextA = 0, nextB = 0, nextC = 0 } = p;
  const most = k > MANY_TERMS ? termsOfRun(m) : k;
  const packed = stepB !== 4 || (m >= FEWEST_ROWS_PACKED && n > 8) ? scratchAddress(32 * most) : 0;
  if (countsOnly(2 * batch * m * n * k)) return;
  const product = run();
  let done = 0;
  do {
    const [aAt, bAt, terms] = [a + done * stepA, b + done * rowB, Math.min(most, k - done)];
    const [begin, rowBegin] = done === 0 ? [from, rowFrom] : [c, rowC];
    // prettier-ignore
    product(aAt, bAt, c, batch, m, n, terms, nextA, nextB, nextC, rowA, stepA, rowB, stepB, rowC, packed, begin, rowBegin, nextC);
    done += terms;
  } while (done < k);
}
