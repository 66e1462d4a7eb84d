/** Ops in the memory of tfjs's wasm backend, which are fetched when that backend is opened (`lib/on-heap.ts`). */
export { attendOnHeap, compactHeap, createHeapCache } from './attention/decode.heap';
export { attendBranchesOnHeap, attendSequencesOnHeap } from './attention/sequences.heap';
export { embeddingOnHeap } from './embedding.heap';
export { projectOnHeap } from './matmul/linear.heap';
export { multiplyBatchOnHeap } from './matmul/product.heap';
export { rmsNormOnHeap } from './rms-norm.heap';
export { ropeOnHeap } from './rope.heap';
export { swigluOnHeap } from './swiglu.heap';
export { logprobsOnHeap } from './token-logprob.heap';
