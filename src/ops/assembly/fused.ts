/** The product alone, compiled with relaxed SIMD: each multiplication and addition is rounded once. */
export { product, usePanel } from './product';
