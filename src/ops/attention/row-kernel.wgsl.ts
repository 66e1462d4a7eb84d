/**
 * Building blocks of the attention kernels. One or several invocations handle a row of a head and iterate over other
 * rows together. A kernel body is composed of these lines. The invocation's row is `row` (`asked` past the last one),
 * its head is `head`.
 */
import type { Kernel, KernelSource } from '../../gpu/kernel';
import { defineKernel } from '../../gpu/kernel';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';
import { SPAN } from './layout';

const THREADS = 64;

/** Most head dimensions per invocation, if several share a row, and if one handles it alone. */
const DIMENSIONS = { shared: 16, alone: 32 };

export interface HeadVariant {
  headDim: number;
  /** Invocations that share a row of a head. */
  lanes: number;
}

export function variantOf(headDim: number): HeadVariant {
  if (headDim <= DIMENSIONS.alone) return { headDim, lanes: 1 };
  const lanes = range(THREADS + 1).find(
    (count) => headDim % (4 * count) === 0 && headDim / count <= DIMENSIONS.shared,
  );
  return { headDim, lanes: lanes ?? 1 };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export const rowsTogether = ({ lanes }: HeadVariant): number => Math.floor(THREADS / lanes);

/** One line for every four dimensions of an invocation. `#` becomes their index and `@` the first dimension. */
export function each({ headDim, lanes }: HeadVariant, line: string): string {
  const dimensions = headDim / lanes;
  const first = lanes === 1 ? '' : `lane % ${lanes}u * ${dimensions}u + `;
  return range(Math.ceil(dimensions / 4))
    .map((c) => line.replaceAll('#', String(c)).replaceAll('@', `${first}${4 * c}u`))
    .join('\n');
}

/** Defines dot products over a head for at most two pairs of vectors. */
export function dots(
  { headDim, lanes }: HeadVariant,
  products: Record<string, readonly [string, string]>,
): string {
  const fours = range(Math.ceil(headDim / lanes / 4));
  const own = Object.entries(products).map(
    ([name, [a, b]], i) => [name, fours.map((c) => `dot(${a}${c}, ${b}${c})`).join(' + '), 'xy'[i]] as const,
  );
  if (lanes === 1) return own.map(([name, sum]) => `let ${name} = ${sum};`).join('\n');
  // one barrier per iteration: the next iteration writes the other half
  return `
    ${own.map(([, sum, place]) => `parts[turn & 1u][lane].${place} = ${sum};`).join('\n')}
    workgroupBarrier();
    let first_part = lane - lane % ${lanes}u;
    let whole = ${range(lanes)
      .map((l) => `parts[turn & 1u][first_part + ${l}u]`)
      .join(' + ')};
    ${own.map(([name, , place]) => `let ${name} = whole.${place};`).join('\n')}`;
}

/** Writes vec4 variables as a row of a head, one dimension at a time, because headDim need not be a multiple of 4. */
export function store(variant: HeadVariant, output: string, variable: string): string {
  const { headDim } = variant;
  const dimension = (z: number): string => {
    const write = `${output}[query_row * ${headDim}u + @ + ${z}u] = ${variable}#[${z}];`;
    return headDim % 4 === 0 ? write : `if (@ + ${z}u < ${headDim}u) { ${write} }`;
  };
  return `if (asked < uniforms.rows) { ${each(variant, range(4).map(dimension).join(' '))} }`;
}

/**
 * Loops over the rows `other` of two consecutive ranges. Invocations that share barriers all run as many iterations as
 * the longest range requires. `there` is false for an invocation that has finished; it rereads its last row.
 */
export function over(
  variant: HeadVariant,
  ranges: readonly [readonly [string, string], readonly [string, string]],
  lines: string,
): string {
  const [[first, firstEnd], [second, secondEnd]] = ranges;
  const turns =
    variant.lanes === 1
      ? 'const there = true; let place = turn;'
      : 'let there = turn < count; let place = min(turn, count - 1u);';
  const longest = `
    counts[lane] = count;
    workgroupBarrier();
    if (lane == 0u) {
      most = count;
      for (var i = 1u; i < ${rowsTogether(variant) * variant.lanes}u; i++) { most = max(most, counts[i]); }
    }
    let turns = workgroupUniformLoad(&most);`;
  return `
    let first_start = ${first};
    let first_count = ${firstEnd} - first_start;
    let second_start = ${second};
    let count = first_count + ${secondEnd} - second_start;
    ${variant.lanes === 1 ? 'let turns = count;' : longest}
    for (var turn = 0u; turn < turns; turn++) {
      ${turns}
      let other = select(second_start + place - first_count, first_start + place, place < first_count);
      ${lines}
    }`;
}

const span = (column: number): string => `u32(spans[row * ${SPAN}u + ${column}u])`;

/** Key ranges of a query: its prompt, and its own sequence up to itself. */
export const keys = [
  [span(2), span(3)],
  [span(0), '(row + 1u)'],
] as const;

/** Query ranges of a key: the rest of its own sequence, and its branches. */
export const queries = [
  ['row', span(1)],
  [span(4), span(5)],
] as const;

export function rowKernel(
  name: string,
  vectors: readonly string[],
  others: readonly string[],
  outputs: KernelSource['outputs'],
  variant: HeadVariant,
  body: string,
): Kernel {
  const { headDim, lanes } = variant;
  const aligned = headDim % 4 === 0;
  const together = rowsTogether(variant);
  const shared = `
    var<workgroup> parts: array<array<vec2<f32>, ${THREADS}>, 2>;
    var<workgroup> counts: array<u32, ${THREADS}>;
    var<workgroup> most: u32;`;
  return defineKernel({
    name: `attention ${name} ${headDim}`,
    inputs: {
      spans: 'i32',
      ...Object.fromEntries(vectors.map((vector) => [vector, storedAs('f32', aligned)])),
      ...Object.fromEntries(others.map((other) => [other, 'f32'] as const)),
    },
    outputs,
    uniforms: { rows: 'u32', heads: 'u32', key_heads: 'u32', scale: 'f32' },
    workgroupSize: [together * lanes, 1, 1],
    declarations: [
      lanes === 1 ? '' : shared,
      ...vectors.map((vector) => loadFour(vector, 'f32', aligned, `${headDim}u`)),
    ].join('\n'),
    body: `
      let asked = group.x * ${together}u + lane / ${lanes}u;
      ${lanes === 1 ? 'if (asked >= uniforms.rows) { return; }' : '// all pass the barriers'}
      let row = min(asked, uniforms.rows - 1u);
      let head = group.y;
      let key_head = head / (uniforms.heads / uniforms.key_heads);
      let query_row = row * uniforms.heads + head;
      ${body}`,
  });
}
