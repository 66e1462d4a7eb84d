/**
 * Each op has a WGSL kernel for WebGPU and a reference implementation, a plain composition of tfjs ops, which is the oracle in tests and
 * what runs on wasm and cpu. This switch says which one an op takes.
 */
import { getBackend } from '@tensorflow/tfjs-core';

let plainOnly = false;

/** Whether ops take their WGSL kernel now. */
export function fused(): boolean {
  return !plainOnly && getBackend() === 'webgpu';
}

/** Runs `body` with the reference implementations even on WebGPU: for tests and benches, which hold one against the other. */
export async function withReferenceOps<T>(body: () => T | Promise<T>): Promise<T> {
  const before = plainOnly;
  plainOnly = true;
  try {
    return await body();
  } finally {
    plainOnly = before;
  }
}
