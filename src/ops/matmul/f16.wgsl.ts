/**
 * Gradients by the input, dX = dY W, with f16 factors: half the workgroup memory and registers, and on many graphics
 * cards twice the rate. A rounding of 2^-11 of a gradient is far below the noise of sampling. Products forward stay f32
 * everywhere: their results are the log-probabilities that sampler and trainer are compared by, within 1e-4.
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
 */
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel, memoize } from '../../gpu/kernel';
import { loadFour, storedAs, type WeightFormat } from '../lib/weight-load.wgsl';

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

/** dY scaled, in f16, each row filled up with zeros to a multiple of four; and the units of its rows. */
export const scaledRowsKernel = memoize(({ aligned }: { aligned: boolean }): Kernel =>
  defineKernel({
    name: 'scaled rows',
    inputs: { y: storedAs('f32', aligned), step_units: 'f32' },
    outputs: { halves: 'vec4<f16>', units: 'f32' },
    uniforms: { rows: 'u32', columns: 'u32' },
    workgroupSize: [THREADS, 1, 1],
    f16: true,
    declarations: `${UNITS}\n${SHARES}\n${loadFour('y', 'f32', aligned, 'uniforms.columns')}
fn step_unit(column: u32) -> f32 { return step_units[min(column, uniforms.columns - 1u)]; }
fn scaled(row: u32, column: u32) -> vec4<f32> {
  return load_y(row, column) * vec4<f32>(step_unit(column), step_unit(column + 1u),
                                         step_unit(column + 2u), step_unit(column + 3u));
}`,
    body: `${largestOfRow('scaled(row, column)')}
  if (lane == 0u) { units[row] = unit; }
  let fours = (uniforms.columns + 3u) / 4u;
  for (var four = lane; four < fours; four += ${THREADS}u) {
    halves[row * fours + four] = vec4<f16>(scaled(row, 4u * four) * inverse(unit));
  }`,
  }),
);

/** What the product's kernel binds beside B: dY as `scaledRowsKernel` left it, and both units. */
export const F16_INPUTS = { a: 'vec4<f16>', row_units: 'f32', step_units: 'f32' } as const;

/** `half_a` and `half_b` (vec4<f16>) in the place of `load_a` and `load_b`, which the second calls. */
export const F16_LOADS: KernelSource['declarations'] = `${UNITS}
fn half_a(row: u32, column: u32) -> vec4<f16> {
  return a[row * ((uniforms.k + 3u) / 4u) + (min(column, uniforms.k - 1u) >> 2u)];
}
fn half_b(row: u32, column: u32) -> vec4<f16> {
  return vec4<f16>(load_b(row, column) * inverse(step_units[row]));
}`;
