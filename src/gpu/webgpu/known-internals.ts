import { MarbleError } from '../../base/error';

/** Private fields of tfjs's backend that `backend.ts` uses. */
export interface Internals {
  commandEncoder: GPUCommandEncoder | null;
  computePassEncoder: GPUComputePassEncoder | null;
  commandQueueOwnedIds: { has(id: object): boolean; add(id: object): unknown };
  dispatchCountInPass: number;
  pipelineCache: Record<string, GPUComputePipeline | Promise<GPUComputePipeline>>;
}

export interface PoolInternals {
  freeBuffers: Map<string, GPUBuffer[]>;
  numFreeBuffers: number;
  numBytesUsed: number;
  numBytesAllocated: number;
  acquireBuffer(size: number, usage: number, mappedAtCreation?: boolean, reuse?: boolean): GPUBuffer;
  releaseBuffer(buffer: GPUBuffer, reuse?: boolean): void;
}

/**
 * Checks that tfjs's backend and its buffer pool have the fields that `backend.ts` uses.
 *
 * @throws MarbleError `gpu/unknown-tfjs`
 */
export function requireKnownInternals(backend: object, pool: object): void {
  const missing = [
    ...[
      'commandEncoder',
      'computePassEncoder',
      'commandQueueOwnedIds',
      'dispatchCountInPass',
      'pipelineCache',
    ].filter((name) => !(name in backend)),
    ...['freeBuffers', 'numFreeBuffers', 'numBytesUsed', 'numBytesAllocated'].filter(
      (name) => !(name in pool),
    ),
  ];
  if (missing.length > 0) {
    throw new MarbleError(
      'gpu/unknown-tfjs',
      `tfjs-backend-webgpu has no ${missing.join(', ')}: it is not the release that Marble was built for.`,
      'Install @tensorflow/tfjs-backend-webgpu 4.22.0.',
    );
  }
}
