/** Products on wasm that may use FMA: with it each term is rounded once, without it twice, both to the last bit. */
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { heapAddress, heapAllocate, heapMemory, heapTensor } from '../../src/gpu/wasm-heap';
import { multiplyWasm } from '../../src/ops/matmul/wasm';
import { sampled } from '../fixtures/sample';

const odd = (size: number, step: number): Float32Array =>
  Float32Array.from({ length: size }, (_, i) => Math.sin(step * (i + 1)));

const toHalf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] >>> 16;
const fromHalf = (half: number): number => new Float32Array(Uint32Array.of(half << 16).buffer)[0];

interface Sizes {
  m: number;
  n: number;
  k: number;
}

/** C = A B with B in bf16, rows of B adjacent in k or in n. */
function halfProduct(
  { m, n, k }: Sizes,
  isTurned: boolean,
): { found: Float32Array; a: Float32Array; b: Float32Array } {
  const a = odd(m * k, 0.7);
  const halves = Uint16Array.from(odd(k * n, 0.3), toHalf);
  const address = heapAllocate(2 * k * n + 16);
  new Uint16Array(heapMemory().buffer, address, k * n).set(halves);
  const [left, c] = [tf.tensor2d(a, [m, k]), heapTensor<tf.Rank.R2>([m, n])];
  const strides = isTurned ? { rowB: 2, stepB: 2 * k } : { rowB: 2 * n, stepB: 2 };
  const ends = { a: heapAddress(left), b: address, c: heapAddress(c) };
  multiplyWasm({ ...ends, m, n, k, rowA: 4 * k, ...strides, rowC: 4 * n, isHalf: true });
  const found = c.dataSync<'float32'>().slice();
  tf.dispose([left, c]);
  const b = Float32Array.from({ length: k * n }, (_, at) => {
    const [x, j] = [Math.floor(at / n), at % n];
    return fromHalf(halves[isTurned ? j * k + x : at]);
  });
  return { found, a, b };
}

function product(
  { m, n, k }: Sizes,
  fma: boolean,
): { found: Float32Array; a: Float32Array; b: Float32Array } {
  // b has numbers of bf16: `summed` then adds exact products.
  const [a, b] = [odd(m * k, 0.7), odd(k * n, 0.3).map((value) => fromHalf(toHalf(value)))];
  const [left, right, c] = [tf.tensor2d(a, [m, k]), tf.tensor2d(b, [k, n]), heapTensor<tf.Rank.R2>([m, n])];
  const ends = { a: heapAddress(left), b: heapAddress(right), c: heapAddress(c) };
  multiplyWasm({ ...ends, m, n, k, rowA: 4 * k, rowB: 4 * n, rowC: 4 * n, fma });
  const found = c.dataSync<'float32'>().slice();
  tf.dispose([left, right, c]);
  return { found, a, b };
}

/** Exact in float64: a product has 32 bits. */
function summed({ m, n, k }: Sizes, a: Float32Array, b: Float32Array, isFma: boolean): Float32Array {
  return Float32Array.from({ length: m * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let x = 0; x < k; x++) {
      const product = a[i * k + x] * b[x * n + j];
      sum = Math.fround((isFma ? product : Math.fround(product)) + sum);
    }
    return sum;
  });
}

/** Multiplications of the largest product. */
const most = sampled(4e5, Infinity);

describe.each([
  { fma: true, threads: 1 },
  { fma: true, threads: 3 },
  { fma: false, threads: 1 },
])('with fma $fma on $threads threads', (options) => {
  it('a product of any size has the bits of its definition', async () => {
    const engine = await openEngine({ backend: 'wasm', ...options });
    onTestFinished(() => engine.dispose());
    // A processor or a runtime without FMA rounds twice all the same.
    if (!options.fma) expect(engine.fma).toBe(false);
    else if (!engine.fma) console.log('skipped: there is no FMA here');
    for (const m of [1, 2, 3, 5, 33]) {
      for (const n of [1, 3, 4, 7, 8, 11, 12, 16, 29, 300]) {
        for (const k of [1, 17, 400]) {
          if (m * n * k > most) continue;
          for (const isTurned of [false, true]) {
            const sizes = { m, n, k };
            const { found, a, b } = halfProduct(sizes, isTurned);
            expect(found, JSON.stringify(sizes)).toEqual(summed(sizes, a, b, engine.fma));
          }
        }
      }
    }
    const many = { m: 170, n: 29, k: 400 };
    const { found, a, b } = halfProduct(many, true);
    expect(found).toEqual(summed(many, a, b, engine.fma));
  });

  it('a product of float32 has the bits of its definition, with FMA only where it may', async () => {
    const engine = await openEngine({ backend: 'wasm', ...options });
    onTestFinished(() => engine.dispose());
    for (const sizes of [1, 2, 3, 4, 35].map((m) => ({ m, n: 29, k: 400 }))) {
      for (const fma of [true, false]) {
        const { found, a, b } = product(sizes, fma);
        expect(found, JSON.stringify(sizes)).toEqual(summed(sizes, a, b, fma && engine.fma));
      }
    }
  });
});
