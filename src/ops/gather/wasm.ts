/** `gather` and `scatter` on wasm, in the memory of tfjs's backend: adjacent entries are copied together. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';

export function gatherWasm<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  const gathered = heapTensor([rows.length, ...x.shape.slice(1)], x.dtype as 'float32' | 'int32');
  const width = x.size / x.shape[0];
  const [from, to] = [heapAddress(x) / 4, heapAddress(gathered) / 4];
  const heap = heapFloats();
  for (const { first, count, at } of runsOf(rows)) {
    const start = from + first * width;
    heap.copyWithin(to + at * width, start, start + count * width);
  }
  return gathered as T;
}

/** Takes the parameters of `scatter`. */
export function scatterWasm<T extends tf.Tensor>(x: T, rows: readonly number[], total: number): T {
  const width = x.size / x.shape[0];
  const all = heapTensor([total, ...x.shape.slice(1)]);
  heapValues(all).fill(0);
  const [from, to] = [heapAddress(x) / 4, heapAddress(all) / 4];
  const heap = heapFloats();
  for (const { first, count, at } of runsOf(rows)) {
    const start = from + at * width;
    heap.copyWithin(to + first * width, start, start + count * width);
  }
  return all as T;
}

/** Runs of consecutive rows: first row, count, and offset in the result. */
function runsOf(rows: readonly number[]): { first: number; count: number; at: number }[] {
  const runs: { first: number; count: number; at: number }[] = [];
  for (let at = 0; at < rows.length;) {
    let end = at + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    runs.push({ first: rows[at], count: end - at, at });
    at = end;
  }
  return runs;
}
