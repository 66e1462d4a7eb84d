/**
 * The third way of an op beside its kernel and its reference implementation: on wasm, in the memory of tfjs's backend.
 * It is fetched with that backend, and no one else's.
 */
import { partOf } from '../../gpu/backend-parts';
import { onHeap } from '../../gpu/wasm-heap';

/** @returns what gives the fetched module, and null on every other backend */
export function withHeap<T>(load: () => Promise<T>): () => T | null {
  const part = partOf('wasm', load);
  return () => (onHeap() ? part() : null);
}
