/**
 * Softmax of rows of which only some columns count, in place, in the memory of tfjs's wasm backend. The others get weight
 * 0 and are not read, so that nothing need be masked before. e to x is
 * a polynomial of degree 5 after Cody and Waite's reduction by parts of ln 2.
 */
import { countsOnly } from '../../gpu/dry/work';
import { heapMemory } from '../../gpu/wasm-heap';
import * as w from './wasm-code';

const { four, vector } = w;

const given = ['at', 'rows', 'heads', 'width', 'first', 'second', 'end', 'step'] as const;
const integers = ['head', 'x', 'whole', 'counted', 'four'] as const;
type Integer = (typeof given)[number] | (typeof integers)[number];
const SCALE = given.length;
const firstInteger = SCALE + 1;
const integerAt = (name: Integer): number => {
  const place = (given as readonly string[]).indexOf(name);
  return place >= 0 ? place : firstInteger + (integers as readonly string[]).indexOf(name);
};
const get = (name: Integer): w.Code => w.get(integerAt(name));
const set = (name: Integer, value: w.Code): w.Code => w.set(integerAt(name), value);
const [MOST, TOTAL] = [0, 1].map((i) => firstInteger + integers.length + i);
const [V, N, S, P, LARGEST, SUM] = [0, 1, 2, 3, 4, 5].map((i) => TOTAL + 1 + i);

const every = (value: number): w.Code => four.fill(w.number(value));
const place = w.add(get('at'), get('x'));

/** ln 2 in two parts, and the coefficients of e^t on [-ln 2 / 2, ln 2 / 2] without the first, from the last. */
const LN2 = [0x162e400 / 2 ** 25, 0x17f7d1c / 2 ** 44];
const COEFFICIENTS = [
  0x10f9f9c / 2 ** 31,
  0x1573a1a / 2 ** 29,
  0x1555a80 / 2 ** 27,
  0x1fffdc6 / 2 ** 26,
  0x1fffff6 / 2 ** 25,
];
/** Adding it rounds to an integer in the low bits, where the exponent of 2 to it is made. */
const ROUNDER = 0x18000fe / 2;
/** Below it e^x counts as 0. */
const LOWEST = -0x15d589e / 2 ** 18;

/** V becomes e to it, where it is not above 0. */
const exponential: w.Code = [
  ...w.set(N, four.add(four.multiply(w.get(V), every(0x1715476 / 2 ** 24)), every(ROUNDER))),
  ...w.set(S, vector.shiftLeft(w.get(N), w.constant(23))),
  ...w.set(N, four.subtract(w.get(N), every(ROUNDER))),
  // P is what is left, t
  ...w.set(P, four.add(four.multiply(w.get(N), every(-LN2[0])), w.get(V))),
  ...w.set(P, four.add(four.multiply(w.get(N), every(-LN2[1])), w.get(P))),
  ...w.set(
    N,
    COEFFICIENTS.slice(1).reduce(
      (sum: w.Code, coefficient) => four.add(four.multiply(sum, w.get(P)), every(coefficient)),
      every(COEFFICIENTS[0]),
    ),
  ),
  ...w.set(P, four.multiply(w.get(P), w.get(S))),
  ...w.set(
    V,
    vector.without(
      four.add(four.multiply(w.get(P), w.get(N)), w.get(S)),
      vector.less(w.get(V), every(LOWEST)),
    ),
  ),
];

const next = (bytes: number): w.Code => set('x', w.add(get('x'), w.constant(bytes)));
const whileBelow = (end: Integer, body: w.Code): w.Code => w.loopWhile(w.less(get('x'), get(end)), body);
const fillTo = (end: Integer, value: number): w.Code =>
  whileBelow(end, [...w.single.store(place, w.number(value)), ...next(4)]);
const upTo4 = (name: Integer): w.Code => w.and(w.add(get(name), w.constant(15)), w.constant(-16));
const smaller = (a: w.Code, b: w.Code): w.Code => w.choose(a, b, w.less(a, b));

const onRow: w.Code = [
  ...set('whole', w.and(get('width'), w.constant(-16))),
  ...set('four', smaller(upTo4('end'), get('whole'))),
  ...set('counted', w.choose(get('four'), get('width'), w.atMost(get('end'), get('whole')))),
  // what does not count, up to where vectors end, and 0 behind
  ...set('x', get('first')),
  ...fillTo('second', -1e9),
  ...set('x', get('end')),
  ...fillTo('counted', -1e9),
  ...fillTo('width', 0),
  // the largest
  ...w.set(LARGEST, every(-Infinity)),
  ...set('x', w.constant(0)),
  ...whileBelow('four', [
    ...w.set(V, four.multiply(four.load(place), four.fill(w.get(SCALE)))),
    ...four.store(place, w.get(V)),
    ...w.set(LARGEST, vector.larger(w.get(LARGEST), w.get(V))),
    ...next(16),
  ]),
  ...w.set(
    MOST,
    [0, 1, 2, 3].map((lane) => vector.lane(w.get(LARGEST), lane)).reduce((a, b) => w.larger(a, b)),
  ),
  ...whileBelow('counted', [
    ...w.single.store(place, w.single.multiply(w.single.load(place), w.get(SCALE))),
    ...w.set(MOST, w.larger(w.get(MOST), w.single.load(place))),
    ...next(4),
  ]),
  // e to each less the largest
  ...w.set(SUM, four.zero),
  ...set('x', w.constant(0)),
  ...whileBelow('four', [
    ...w.set(V, four.subtract(four.load(place), four.fill(w.get(MOST)))),
    ...exponential,
    ...four.store(place, w.get(V)),
    ...w.set(SUM, four.add(w.get(SUM), w.get(V))),
    ...next(16),
  ]),
  ...w.set(
    TOTAL,
    w.single.add(
      w.single.add(vector.lane(w.get(SUM), 0), vector.lane(w.get(SUM), 2)),
      w.single.add(vector.lane(w.get(SUM), 1), vector.lane(w.get(SUM), 3)),
    ),
  ),
  ...whileBelow('counted', [
    ...w.set(V, four.subtract(four.splat(place), four.fill(w.get(MOST)))),
    ...exponential,
    ...w.single.store(place, vector.lane(w.get(V), 0)),
    ...w.set(TOTAL, w.single.add(w.get(TOTAL), w.single.load(place))),
    ...next(4),
  ]),
  ...w.set(TOTAL, w.single.divide(w.single.one, w.get(TOTAL))),
  ...set('x', w.constant(0)),
  ...whileBelow('four', [
    ...four.store(place, four.multiply(four.load(place), four.fill(w.get(TOTAL)))),
    ...next(16),
  ]),
  ...whileBelow('counted', [
    ...w.single.store(place, w.single.multiply(w.single.load(place), w.get(TOTAL))),
    ...next(4),
  ]),
];

const body: w.Code = w.loopWhile(get('rows'), [
  ...set('head', get('heads')),
  ...w.loopWhile(get('head'), [
    ...onRow,
    ...set('at', w.add(get('at'), get('width'))),
    ...set('head', w.add(get('head'), w.constant(-1))),
  ]),
  ...set('end', w.add(get('end'), get('step'))),
  ...set('rows', w.add(get('rows'), w.constant(-1))),
]);

const run = w.onMemory(heapMemory, () =>
  w.moduleOf(
    [...given.map(() => w.integer), w.single.type],
    [
      ...integers.map(() => w.integer),
      ...[MOST, TOTAL].map(() => w.single.type),
      ...[V, N, S, P, LARGEST, SUM].map(() => four.type),
    ],
    body,
  ),
);

/** Rows, each with a line of `columns` numbers for every head. */
export interface WeightedRows {
  address: number;
  rows: number;
  heads: number;
  columns: number;
  /** What counts of a line: the columns below `first`, and those from `second` up to `end`; at least one. */
  first: number;
  second: number;
  end: number;
  /** By how much `end` grows from row to row. */
  growth: 0 | 1;
  /** Of the numbers before. */
  scale: number;
}

/** Three passes over each number, one of them with a polynomial of degree 5. */
const FLOPS_PER_NUMBER = 16;

export function softmaxOnHeap(r: WeightedRows): void {
  if (countsOnly(FLOPS_PER_NUMBER * r.rows * r.heads * r.columns)) return;
  const [width, first, second, end] = [4 * r.columns, 4 * r.first, 4 * r.second, 4 * r.end];
  run()(r.address, r.rows, r.heads, width, first, second, end, 4 * r.growth, r.scale);
}
