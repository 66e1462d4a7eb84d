/**
 * Products with f16 factors: half the workgroup memory, and on many graphics cards twice the rate. Gradients by the input,
 * dX = dY W, take them where they are faster: a rounding of 2^-11 of a gradient is far below the noise of sampling. Products
 * forward by frozen weights, y = x Wᵀ, take them where the run asks for it, and then all do, since their results are the
 * log-probabilities that sampler, reference and trainer are compared by.
 *
 * f16 spans 2^-14 to 65,504 only, so the factors are scaled by powers of two, which is exact. With
 *
 *   unit(W_k)  = the power of two with |W[k, :]| < 32 unit(W_k)
 *   unit(dY_i) = the power of two with |dY[i, k] unit(W_k)| < 32 unit(dY_i) for every k
 *
 * the product is  dX[i, n] = unit(dY_i) sum_k (dY[i, k] unit(W_k) / unit(dY_i)) (W[k, n] / unit(W_k)).
 *
 * Both factors are below 32, so a sum of 32 products is below 2^15 and no finite input overflows; a factor that falls
 * out at the bottom is 2^-19 of its row's largest or less. Sums of 32 steps are kept in f16 and added up in f32:
 *
 *   |error| <= (32 + 3) 2^-11 sum_k |dY[i, k] W[k, n]|  when roundings are to nearest and all fall on one side;
 *
 * they do not, and the usual error is 1e-3 of a row's norm (tests/ops/matmul/f16.webgpu.test.ts). Where an input is not
 * finite the result is not either.
 *
 * Two dispatches go before the product: the units of W's rows, and dY in scaled f16. Left out: dW, which few runs
 * need (only small models are trained in full), and the thin products of an adapter, which are bound by memory.
 *
 * Forward, the rows of x are scaled in the same way and W is taken as it is, whose bf16 is exact in f16: a model has no
 * weight of 128 or more (`weightsFitF16`), so that a sum of 8 products is below 2^15. Sums are of 8 steps, in the same order
 * in every kernel, of which one dispatch goes before the product.
 */
import { defineKernel, memoize, type Element, type Kernel } from '../../gpu/kernel';
import { loadFour, storedAs, type WeightFormat } from '../lib/weight-load.wgsl';
import type { Direction } from './variant';

/** Invocations that look through one row. */
const THREADS = 64;

/** A unit is 2^e: bits 23 and up hold e + 127, which stays within 1 to 253 so that 1 / unit is a power of two as well. */
const UNITS = `
fn unit_of(largest: u32) -> f32 { return bitcast<f32>(u32(clamp(i32(largest >> 23u) - 4, 1, 253)) << 23u); }
fn inverse(unit: f32) -> f32 { return bitcast<f32>((254u << 23u) - bitcast<u32>(unit)); }`;

/** As unsigned numbers, magnitudes have the order that they have as floats, with NaN the largest. */
const largestOfRow = (value: string): string => `
  let row = group.y * groups.x + group.x;
  if (row >= uniforms.rows) { return; }
  var most = vec4<u32>(0u);
  for (var column = 4u * lane; column < uniforms.columns; column += ${4 * THREADS}u) {
    most = max(most, bitcast<vec4<u32>>(abs(${value})));
  }
  shares[lane] = max(max(most.x, most.y), max(most.z, most.w));
  workgroupBarrier();
  var largest = 0u;
  for (var t = 0u; t < ${THREADS}u; t++) { largest = max(largest, shares[t]); }
  let unit = unit_of(largest);`;

const SCALED_BY_STEP = `
fn step_unit(column: u32) -> f32 { return step_units[min(column, uniforms.columns - 1u)]; }
fn scaled(row: u32, column: u32) -> vec4<f32> {
  return load_y(row, column) * vec4<f32>(step_unit(column), step_unit(column + 1u),
                                         step_unit(column + 2u), step_unit(column + 3u));
}`;

const SHARES = `var<workgroup> shares: array<u32, ${THREADS}>;`;

/** units[row] = unit(W_row). One workgroup per row, along a folded x. */
export const rowUnitsKernel = memoize(
  ({ format, aligned }: { format: WeightFormat; aligned: boolean }): Kernel =>
    defineKernel({
      name: `row units ${format}`,
      inputs: { w: storedAs(format, aligned) },
      outputs: { units: 'f32' },
      uniforms: { rows: 'u32', columns: 'u32' },
      workgroupSize: [THREADS, 1, 1],
      declarations: [UNITS, SHARES, loadFour('w', format, aligned, 'uniforms.columns')].join('\n'),
      body: `${largestOfRow('load_w(row, column)')}
  if (lane == 0u) { units[row] = unit; }`,
    }),
);

/** dY or x scaled, in f16, each row filled up with zeros to a multiple of four; and the units of its rows. */
export const scaledRowsKernel = memoize(({ aligned, back }: { aligned: boolean; back: boolean }): Kernel =>
  defineKernel({
    name: `scaled rows${back ? ' back' : ''}`,
    inputs: { y: storedAs('f32', aligned), ...(back ? { step_units: 'f32' as const } : {}) },
    outputs: { halves: 'vec4<f16>', units: 'f32' },
    uniforms: { rows: 'u32', columns: 'u32' },
    workgroupSize: [THREADS, 1, 1],
    f16: true,
    declarations: `${UNITS}\n${SHARES}\n${loadFour('y', 'f32', aligned, 'uniforms.columns')}
${back ? SCALED_BY_STEP : ''}`,
    body: `${largestOfRow(back ? 'scaled(row, column)' : 'load_y(row, column)')}
  if (lane == 0u) { units[row] = unit; }
  let fours = (uniforms.columns + 3u) / 4u;
  for (var four = lane; four < fours; four += ${THREADS}u) {
    halves[row * fours + four] = vec4<f16>(${back ? 'scaled' : 'load_y'}(row, 4u * four) * inverse(unit));
  }`,
  }),
);

/** What a product's kernel binds for A: what `scaledRowsKernel` left, and going back the units of W's rows. */
export function halfInputs(direction: Direction): Record<string, Element> {
  const factor = { a: 'vec4<f16>', row_units: 'f32' } as const;
  return direction === 'nn' ? { ...factor, step_units: 'f32' } : factor;
}

/** `half_<a>` and `half_<b>` (vec4<f16>) in the place of `load_<a>` and `load_<b>`, which the second calls; A has rows of `steps`. */
export const halfLoads = (a: string, b: string, steps: string, direction: Direction): string => `
fn half_${a}(row: u32, column: u32) -> vec4<f16> {
  return ${a}[row * ((${steps} + 3u) / 4u) + (min(column, ${steps} - 1u) >> 2u)];
}
${direction === 'nn' ? UNITS : ''}
fn half_${b}(row: u32, column: u32) -> vec4<f16> {
  return vec4<f16>(load_${b}(row, column)${direction === 'nn' ? ' * inverse(step_units[row])' : ''});
}`;

/** Statement of a product forward that adds a step to its sums: by name, since a driver is free to round `h + a * b` once or twice, and in which order. */
export const addHalf = (sum: string, a: string, b: string): string =>
  `${sum} = fma(vec4<f16>(${a}), ${b}, ${sum});`;
