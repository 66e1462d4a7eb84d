/**
 * Third implementation of an op, in addition to its kernel and its reference implementation: on wasm, in the memory of
 * tfjs's backend. Its module is fetched only with that backend.
 */
import { partOf } from '../../gpu/backend-parts';
import { onHeap } from '../../gpu/wasm-heap';

/** @returns a function that returns the fetched module, or null on every other backend */
export function withHeap<T>(load: () => Promise<T>): () => T | null {
  const part = partOf('wasm', load);
  return () => (onHeap() ? part() : null);
}
