/**
 * Which rows attend to which on wasm (`sequences.heap.ts`), and how their sums are cut.
 *
 * A side is a run of rows with N columns of weights for every row and head. Its blocks are rows that attend to rows,
 * whose weights stand from one column on.
 */
import { LARGE_PRODUCT, TFJS_PART } from '../matmul/product.wasm';
import type { BranchLayout } from './shared-prefix.wgsl';

/** Rows one behind the other. */
export interface Span {
  first: number;
  count: number;
}

export interface Block {
  queries: Span;
  keys: Span;
  /** Of the weights on the first key. */
  column: number;
  /** Queries of each sum over queries that is added up by itself. */
  parts: readonly Span[];
  /** Keys of each sum over keys that is added up by itself. */
  part: number;
}

export interface Side {
  rows: Span;
  /** N */
  columns: number;
  /** Each list's blocks have rows of their own, and what the lists yield for a row is added up. */
  lists: readonly (readonly Block[])[];
  /** Whether queries are scaled before the products with keys, or the products are. */
  scales: 'queries' | 'products';
  /** Of which columns rows one behind the other have weights, as of `softmaxOnHeap`: `end` grows by one from row to row. */
  weighted: readonly { rows: Span; first: number; second: number; end: number }[];
}

/** Places of a padded layout, and how many rows stand before each. */
export type Present = readonly number[] | undefined;

/** Padded sizes decide how sums are cut, as they did when the padding was multiplied. */
function isCut(batch: number, queries: number, keys: number, headDim: number): boolean {
  return batch > 1 && queries * keys * headDim < LARGE_PRODUCT;
}

/** Rows from each of `count` runs of `length` places on. */
export function spansOf(
  present: Present,
  offset: number,
  count: number,
  length: number,
  before: number,
): Span[] {
  if (!present) {
    return Array.from({ length: count }, (_, i) => ({ first: before + i * length, count: length }));
  }
  let row = before;
  return Array.from({ length: count }, (_, i) => {
    const [first, end] = [row, offset + (i + 1) * length];
    while (row < present.length && present[row] < end) row++;
    return { first, count: row - first };
  });
}

/** The spans cut where their padded places, one span behind the other, are a multiple of `part`. */
function cutSpans(spans: readonly Span[], length: number, part: number): Span[] {
  const cut: Span[] = [];
  let number = -1;
  spans.forEach(({ first, count }, i) => {
    for (let at = 0; at < count;) {
      const place = i * length + at;
      const own = Math.floor(place / part);
      const step = Math.min(count - at, (own + 1) * part - place);
      const last = cut.at(-1);
      if (last && number === own) last.count += step;
      else cut.push({ first: first + at, count: step });
      number = own;
      at += step;
    }
  });
  return cut;
}

const union = (spans: readonly Span[]): Span => ({
  first: spans[0].first,
  count: spans.reduce((sum, { count }) => sum + count, 0),
});

/** Sequences that attend to themselves. */
export function causalSide(spans: readonly Span[], length: number, batch: number, headDim: number): Side {
  const part = isCut(batch, length, length, headDim) ? TFJS_PART : Infinity;
  return {
    rows: union(spans),
    columns: length,
    lists: [
      spans.map((span) => ({
        ...{ queries: span, keys: span, column: 0, part, parts: cutSpans([span], length, part) },
      })),
    ],
    scales: 'products',
    weighted: spans.map((rows) => ({ rows, first: 0, second: 0, end: 1 })),
  };
}

/** Branches that attend to their group's prompt and to themselves. */
export function branchSide(
  prompts: readonly Span[],
  branches: readonly Span[],
  { length, prompts: { length: prefix, branches: groups } }: BranchLayout,
  kvHeads: number,
  headDim: number,
  shared: number,
): Side {
  const { samples, prefixLengths } = groups;
  const [toPrompt, toSelf] = [samples * length * shared, length * shared];
  const promptPart = isCut(prompts.length * kvHeads, toPrompt, prefix, headDim) ? TFJS_PART : Infinity;
  const ownPart = isCut(branches.length * kvHeads, toSelf, length, headDim) ? TFJS_PART : Infinity;
  const columns = prefix + length;
  return {
    rows: union(branches),
    columns,
    lists: [
      prompts.map(({ first }, group) => {
        const own = branches.slice(group * samples, (group + 1) * samples);
        return {
          queries: union(own),
          keys: { first, count: prefixLengths[group] },
          column: 0,
          part: promptPart,
          parts: cutSpans(own, length, promptPart),
        };
      }),
      branches.map((span) => ({
        ...{ queries: span, keys: span, column: prefix, part: ownPart },
        parts: cutSpans([span], length, ownPart),
      })),
    ],
    scales: 'queries',
    weighted: branches.map((rows, branch) => ({
      ...{ rows, second: prefix, end: prefix + 1 },
      first: prefixLengths[Math.floor(branch / samples)],
    })),
  };
}
