/**
 * The third way of an op beside its kernel and its reference implementation: on wasm, in the memory of tfjs's backend,
 * with the bits of the reference implementation. It is fetched with that backend, and no one else's.
 */
import { fetchWithHeap, onHeap } from '../../gpu/wasm-heap';
import type * as HeapOpsModule from '../heap-ops';

type HeapOps = typeof HeapOpsModule;

let fetched: HeapOps | null = null;
fetchWithHeap(async () => {
  fetched = await import('../heap-ops');
});

/** Null on every other backend. */
export function heapOps(): HeapOps | null {
  return onHeap() ? fetched : null;
}
