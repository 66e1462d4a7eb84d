/** Products on wasm have the bits of their definition: with FMA each term is rounded once, without it twice. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { heapAllocate, heapMemory } from '../../src/gpu/wasm-heap';
import { multiplyWasm, strided } from '../../src/ops/matmul/wasm';
import { sampled } from '../fixtures/sample';

interface Case {
  m: number;
  n: number;
  k: number;
  batch?: number;
  /** The factor that is stored transposed. */
  turned?: 'a' | 'b';
  isHalf?: boolean;
  fma?: boolean;
  /** The matrix that the product is added to: C itself, or one row for all rows. */
  added?: 'itself' | 'bias';
}

const odd = (size: number, step: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: size }, (_, i) => Math.sin(step * (i + 1)));

const toHalf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] >>> 16;

/** Upper bits, which bf16 represents exactly. A product of such a number and a float32 is exact in float64. */
const halved = (values: Float32Array): Float32Array<ArrayBuffer> =>
  new Float32Array(Uint32Array.from(values, (value) => toHalf(value) << 16).buffer);

/** Numbers that each matrix of a test may have. */
const ROOM = 2 ** 18;

/** Expects C = D + A B to the last bit. @param memory room for four matrices @param roundsOnce with FMA */
function expectProduct(memory: number, given: Case, roundsOnce: boolean): void {
  const { m, n, k, batch = 1, turned, isHalf = false, fma = false, added } = given;
  const [a, b] = [odd(batch * m * k, 0.7), halved(odd(batch * k * n, 0.3))];
  const d = added ? odd(added === 'bias' ? n : batch * m * n, 0.9) : null;
  const [atA, atB, atC, atD] = [0, 1, 2, 3].map((index) => memory + 4 * ROOM * index);
  const { buffer } = heapMemory();
  new Float32Array(buffer, atA).set(a);
  if (isHalf) new Uint16Array(buffer, atB).set(Uint16Array.from(b, toHalf));
  else new Float32Array(buffer, atB).set(b);
  const from = added === 'bias' ? atD : atC;
  if (d) new Float32Array(buffer, from).set(d);
  const [rowA, stepA] = turned === 'a' ? [1, m] : [k, 1];
  const [rowB, stepB] = turned === 'b' ? [1, k] : [n, 1];
  const size = isHalf ? 2 : 4;
  multiplyWasm(
    { at: atA, row: 4 * rowA, step: 4 * stepA, next: 4 * m * k },
    { at: atB, row: size * rowB, step: size * stepB, next: size * k * n, isHalf },
    strided(atC, n, m * n),
    [m, n, k],
    { batch, fma, from: d ? [from, added === 'bias' ? 0 : 4 * n] : undefined },
  );
  const found = new Float32Array(buffer, atC, batch * m * n);
  const wrong = found.findIndex((value, at) => {
    const [i, j, z] = [Math.floor(at / n) % m, at % n, Math.floor(at / (m * n))];
    let sum = d ? d[added === 'bias' ? j : at] : 0;
    for (let x = 0; x < k; x++) {
      const product = a[z * m * k + i * rowA + x * stepA] * b[z * k * n + x * rowB + j * stepB];
      sum = Math.fround((roundsOnce ? product : Math.fround(product)) + sum);
    }
    return value !== sum;
  });
  expect(wrong, JSON.stringify(given)).toBe(-1);
}

/** Multiplications of the largest product. */
const most = sampled(4e5, Infinity);

describe.each([
  { fma: true, threads: 1 },
  { fma: true, threads: 3 },
  { fma: false, threads: 1 },
])('with fma $fma on $threads threads', (options) => {
  const opened = async () => {
    const engine = await openEngine({ backend: 'wasm', ...options });
    onTestFinished(() => engine.dispose());
    // A processor or a runtime without FMA rounds twice all the same.
    if (!options.fma) expect(engine.fma).toBe(false);
    else if (!engine.fma) console.log('skipped: there is no FMA here');
    return { memory: heapAllocate(16 * ROOM), hasFma: engine.fma };
  };

  it('a product by bf16 of any size has the bits of its definition', async () => {
    const { memory, hasFma } = await opened();
    for (const m of [1, 2, 3, 5, 33]) {
      for (const n of [1, 3, 4, 7, 8, 11, 12, 16, 29, 300]) {
        for (const k of [1, 17, 400]) {
          if (m * n * k > most) continue;
          for (const turned of [undefined, 'b'] as const)
            expectProduct(memory, { m, n, k, turned, isHalf: true }, hasFma);
        }
      }
    }
    expectProduct(memory, { m: 170, n: 29, k: 400, turned: 'b', isHalf: true }, hasFma);
  });

  it('a product of float32 has the bits of its definition, with FMA only where it may', async () => {
    const { memory, hasFma } = await opened();
    for (const m of [1, 2, 3, 4, 35]) {
      for (const fma of [true, false]) expectProduct(memory, { m, n: 29, k: 400, fma }, fma && hasFma);
    }
  });

  it.each<[string, Case]>([
    ['of odd sizes', { batch: 5, m: 7, k: 13, n: 9 }],
    ['of single rows', { batch: 8, m: 1, k: 16, n: 33 }],
    ['of many rows', { m: 70, k: 40, n: 50 }],
    ['with sums that go on in runs', { batch: 2, m: 33, k: 1300, n: 13 }],
    ['of a row with such sums', { m: 1, k: 1300, n: 37 }],
    ['without terms', { batch: 2, m: 5, k: 0, n: 9 }],
  ])('products %s, as stored and transposed, alone and added', async (_, sizes) => {
    const { memory } = await opened();
    for (const turned of [undefined, 'a', 'b'] as const) {
      for (const added of [undefined, 'itself', 'bias'] as const) {
        if (added !== 'bias' || !sizes.batch) expectProduct(memory, { ...sizes, turned, added }, false);
      }
    }
  });
});
