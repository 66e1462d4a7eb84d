/**
 * Bytes on the device, by owner. tfjs knows only a total. Long-lived tensors are claimed by whoever keeps them; what
 * nobody claimed is activations and scratch.
 */
import type { Tensor } from '@tensorflow/tfjs-core';

export type MemoryOwner = 'weights' | 'adapter' | 'optimiser' | 'cache';

/** All in bytes. */
export interface MemoryReport {
  /** In use now: the owners' bytes plus `activations`. */
  total: number;
  /** Largest `total` since the engine was opened or `resetPeak` was called. */
  peak: number;
  /** Held by the device, buffers kept for reuse included. */
  allocated: number;
  weights: number;
  adapter: number;
  optimiser: number;
  /** Keys and values of the decoder. */
  cache: number;
  activations: number;
}

/** What a backend can say about itself. */
export interface ByteCounts {
  used: number;
  peak: number;
  allocated: number;
}

export interface MemoryLedger {
  claim(owner: MemoryOwner, ...tensors: Tensor[]): void;
  report(counts: ByteCounts): MemoryReport;
}

export function createMemoryLedger(): MemoryLedger {
  const claims = new Map<Tensor, MemoryOwner>();
  return {
    claim(owner, ...tensors) {
      for (const tensor of tensors) claims.set(tensor, owner);
    },
    report(counts) {
      const owned: Record<MemoryOwner, number> = { weights: 0, adapter: 0, optimiser: 0, cache: 0 };
      for (const [tensor, owner] of claims) {
        if (tensor.isDisposed) claims.delete(tensor);
        else owned[owner] += tensor.size * 4;
      }
      const claimed = owned.weights + owned.adapter + owned.optimiser + owned.cache;
      return {
        total: counts.used,
        peak: counts.peak,
        allocated: counts.allocated,
        ...owned,
        activations: counts.used - claimed,
      };
    },
  };
}
