/**
 * Selects the implementation of an op. Each op has a WGSL kernel for WebGPU and a reference implementation, a plain
 * composition of tfjs ops. The reference implementation is the oracle in tests and runs on wasm and cpu.
 */
import { getBackend } from '@tensorflow/tfjs-core';

let plainOnly = false;

/** True if ops currently use their WGSL kernels. */
export function fused(): boolean {
  return !plainOnly && getBackend() === 'webgpu';
}

/** Runs `body` with the reference implementations even on WebGPU. Tests and benchmarks use it to compare both. */
export async function withReferenceOps<T>(body: () => T | Promise<T>): Promise<T> {
  const before = plainOnly;
  plainOnly = true;
  try {
    return await body();
  } finally {
    plainOnly = before;
  }
}
