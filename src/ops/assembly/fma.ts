/** Matrix product with fused multiply-add (FMA), compiled with relaxed SIMD: each term is rounded once. */
export { product } from './product';
export { usePanel } from './pack';
