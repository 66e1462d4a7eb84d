/**
 * Gathers entries of the first axis, in any order and any number of times. On wasm, adjacent entries are copied
 * together, because tfjs's own `gather` copies element by element and each call of its `slice` copies the whole tensor.
 * On WebGPU one kernel serves all shapes and types (wgsl.ts). No gradient.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, onHeap } from '../../gpu/wasm-heap';
import { fused } from '../lib/backend-switch';
import { takeRowsFused } from './wgsl';

/** @param x float32 or int32 @param rows indices into its first axis @returns the shape of `x` with `rows.length` entries */
export function takeRows<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  if (fused()) return takeRowsFused(x, rows);
  if (!onHeap() || x.dtype !== 'float32') {
    return tf.tidy(() => tf.gather(x, tf.tensor1d(rows as number[], 'int32')));
  }
  const taken = heapTensor([rows.length, ...x.shape.slice(1)]);
  const width = x.size / x.shape[0];
  const [from, to] = [heapAddress(x) / 4, heapAddress(taken) / 4];
  const heap = heapFloats();
  for (const { first, count, at } of runsOf(rows)) {
    const start = from + first * width;
    heap.copyWithin(to + at * width, start, start + count * width);
  }
  return taken as T;
}

/** Runs of consecutive rows: first row, count, and offset in the result. */
export function runsOf(rows: readonly number[]): { first: number; count: number; at: number }[] {
  const runs: { first: number; count: number; at: number }[] = [];
  for (let at = 0; at < rows.length;) {
    let end = at + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    runs.push({ first: rows[at], count: end - at, at });
    at = end;
  }
  return runs;
}
