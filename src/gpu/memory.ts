/**
 * Bytes on the device, by owner. tfjs knows only a total. Whoever keeps tensors claims them, with a function that is
 * asked at each report, since updates and decoding steps replace them; what nobody claimed is activations and scratch.
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
  /** @returns takes the claim back */
  claim(owner: MemoryOwner, tensors: () => readonly Tensor[]): () => void;
  report(counts: ByteCounts): MemoryReport;
}

export function createMemoryLedger(): MemoryLedger {
  const claims = new Set<{ owner: MemoryOwner; tensors: () => readonly Tensor[] }>();
  return {
    claim(owner, tensors) {
      const claimed = { owner, tensors };
      claims.add(claimed);
      return () => claims.delete(claimed);
    },
    report(counts) {
      const owned: Record<MemoryOwner, number> = { weights: 0, adapter: 0, optimiser: 0, cache: 0 };
      const counted = new Set<object>(); // clones share their data
      for (const { owner, tensors } of claims) {
        for (const tensor of tensors()) {
          if (tensor.isDisposed || counted.has(tensor.dataId)) continue;
          counted.add(tensor.dataId);
          owned[owner] += tensor.size * 4;
        }
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
