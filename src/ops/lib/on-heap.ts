/**
 * The third way of an op beside its kernel and its reference implementation: on wasm, in the memory of tfjs's backend,
 * with the bits of the reference implementation. It is fetched with that backend, and no one else's.
 */
import { fetchWithHeap, onHeap } from '../../gpu/wasm-heap';

/** @returns what gives the fetched module, and null on every other backend */
export function withHeap<T>(load: () => Promise<T>): () => T | null {
  let fetched: T | null = null;
  fetchWithHeap(async () => {
    fetched = await load();
  });
  return () => (onHeap() ? fetched : null);
}
