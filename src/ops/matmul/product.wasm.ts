/**
 * C = A B of many small float32 matrices in the memory of tfjs's wasm backend, in WebAssembly of our own. tfjs multiplies
 * batches one number at a time, and a single matrix by a copy of B that it packs anew for each product; and it takes no
 * strides, so that every other layout costs a copy before.
 *
 * Sums run over k in order, in parts of `part` which are then added up in order, each in one accumulator. With parts of
 * `TFJS_PART` this is to the bit what tfjs's batches give, with one part what its single matrices give.
 */
import { heapMemory } from '../../gpu/wasm-heap';
import * as w from '../lib/wasm-code';

/** Length of the sums that tfjs's kernel for batches adds up. */
const TFJS_PART = 48;

/** The part of sums of length k that has the bits of tfjs: its kernel for batches does not take a batch of one. */
export function partOf(batch: number, k: number): number {
  return batch === 1 ? k : TFJS_PART;
}

/** Multiplications in one product of a batch from which on its sums are taken whole. */
const LARGE_PRODUCT = 260_000;

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
  /** From one k to the next; its columns lie beside each other, as C's do. */
  rowB: number;
  rowC: number;
}

const order = [
  ...(['a', 'b', 'c', 'batch', 'm', 'n', 'k', 'part'] as const),
  ...(['nextA', 'nextB', 'nextC', 'rowA', 'stepA', 'rowB', 'rowC'] as const),
];
const scratch = ['i', 'j', 'done', 'left', 'pa', 'pb', 'pc', 'two', 'three'] as const;
type Name = (typeof order)[number] | (typeof scratch)[number];
const names: readonly Name[] = [...order, ...scratch];
const place = (name: Name): number => names.indexOf(name);
const get = (name: Name): w.Code => w.get(place(name));
const set = (name: Name, value: w.Code): w.Code => w.set(place(name), value);
const step = (name: Name, by: w.Code): w.Code => set(name, w.add(get(name), by));

/** Rows of C that are summed at once: each number of B is then used as often. */
const ROWS = 4;
const VECTORS = 2;
/** Locals of the accumulators and of B's numbers, of four lanes and of one. */
const firstOf = { four: names.length, single: names.length + (ROWS + 1) * VECTORS };

/** `rows` x `width` numbers of C at (i, j), which is moved on by `width`. */
function tile(rows: number, width: 8 | 4 | 1): w.Code {
  const lanes = width === 1 ? w.single : w.four;
  const vectors = width === 8 ? 2 : 1;
  const first = width === 1 ? firstOf.single : firstOf.four;
  const factor = (v: number): number => first + v;
  const sum = (r: number, v: number): number => first + vectors + r * vectors + v;
  const all = <T>(of: (r: number, v: number) => readonly T[]): T[] =>
    Array.from({ length: rows * vectors }, (_, at) => of(Math.floor(at / vectors), at % vectors)).flat();
  const rowOf = (pointer: w.Code, r: number): w.Code =>
    r === 0 ? pointer : w.add(pointer, get((['rowA', 'two', 'three'] as const)[r - 1]));
  const sums = all((r, v) => w.set(sum(r, v), lanes.zero));
  const multiplyAdd = [
    ...Array.from({ length: vectors }, (_, v) => w.set(factor(v), lanes.load(get('pb'), 16 * v))).flat(),
    ...all((r, v) =>
      w.set(
        sum(r, v),
        lanes.add(w.get(sum(r, v)), lanes.multiply(lanes.splat(rowOf(get('pa'), r)), w.get(factor(v)))),
      ),
    ),
    ...step('pa', get('stepA')),
    ...step('pb', get('rowB')),
    ...step('left', w.constant(-1)),
  ];
  const isFirst = w.less(get('done'), w.constant(1));
  const write = (combined: (r: number, v: number) => w.Code): w.Code => [
    ...set(
      'pc',
      w.add(get('c'), w.add(w.multiply(get('i'), get('rowC')), w.multiply(get('j'), w.constant(4)))),
    ),
    ...Array.from({ length: rows }, (_, r) => [
      ...Array.from({ length: vectors }, (_, v) =>
        lanes.store(w.add(get('pc'), w.constant(16 * v)), combined(r, v)),
      ).flat(),
      ...step('pc', get('rowC')),
    ]).flat(),
  ];
  const before = (v: number): w.Code => lanes.load(get('pc'), 16 * v);
  const part = [
    ...set(
      'left',
      w.choose(
        get('part'),
        w.subtract(get('k'), get('done')),
        w.less(get('part'), w.subtract(get('k'), get('done'))),
      ),
    ),
    ...set(
      'pa',
      w.add(get('a'), w.add(w.multiply(get('i'), get('rowA')), w.multiply(get('done'), get('stepA')))),
    ),
    ...set(
      'pb',
      w.add(get('b'), w.add(w.multiply(get('done'), get('rowB')), w.multiply(get('j'), w.constant(4)))),
    ),
    ...sums,
    ...w.loopWhile(get('left'), multiplyAdd),
    ...w.when(
      isFirst,
      write((r, v) => w.get(sum(r, v))),
      write((r, v) => lanes.add(before(v), w.get(sum(r, v)))),
    ),
    ...step('done', get('part')),
  ];
  return [
    ...set('done', w.constant(0)),
    ...part,
    ...w.loopWhile(w.less(get('done'), get('k')), part),
    ...step('j', w.constant(width)),
  ];
}

/** `rows` rows of C from i on. */
const band = (rows: number): w.Code => [
  ...set('j', w.constant(0)),
  ...w.loopWhile(w.atMost(w.add(get('j'), w.constant(8)), get('n')), tile(rows, 8)),
  ...w.loopWhile(w.atMost(w.add(get('j'), w.constant(4)), get('n')), tile(rows, 4)),
  ...w.loopWhile(w.less(get('j'), get('n')), tile(rows, 1)),
  ...step('i', w.constant(rows)),
];

const body: w.Code = [
  ...set('two', w.add(get('rowA'), get('rowA'))),
  ...set('three', w.add(get('two'), get('rowA'))),
  ...w.loopWhile(get('batch'), [
    ...set('i', w.constant(0)),
    ...w.loopWhile(w.atMost(w.add(get('i'), w.constant(ROWS)), get('m')), band(ROWS)),
    ...w.loopWhile(w.less(get('i'), get('m')), band(1)),
    ...step('a', get('nextA')),
    ...step('b', get('nextB')),
    ...step('c', get('nextC')),
    ...step('batch', w.constant(-1)),
  ]),
];

const fours = (ROWS + 1) * VECTORS;
const singles = ROWS + 1;
const locals = [
  ...scratch.map(() => w.integer),
  ...new Array<number>(fours).fill(w.four.type),
  ...new Array<number>(singles).fill(w.single.type),
];

let compiled: WebAssembly.Module | null = null;
let instance: { memory: WebAssembly.Memory; run: (...values: number[]) => void } | null = null;

/** Every number of C is written, also where k is 0. */
export function multiplyOnHeap(given: StridedProduct): void {
  const memory = heapMemory();
  if (instance?.memory !== memory) {
    compiled ??= new WebAssembly.Module(w.moduleOf(order.length, locals, body));
    const { exports } = new WebAssembly.Instance(compiled, { host: { memory } });
    instance = { memory, run: exports.run as (...values: number[]) => void };
  }
  instance.run(...order.map((name) => given[name]));
}
