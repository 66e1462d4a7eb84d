/** Adds the parts of a split contraction in a fixed order, so equal runs give equal bits. */
import type { Kernel } from '../../gpu/kernel';
import { elementKernel, memoize } from '../../gpu/kernel';

/** result[i] = residual[i], if any, + sum over parts p, in order, of parts[p * size + i]. */
export const sumPartsKernel = memoize((residual: boolean): Kernel =>
  elementKernel({
    name: 'sum parts',
    inputs: { parts: 'f32', ...(residual ? { residual: 'f32' } : {}) },
    outputs: { result: 'f32' },
    uniforms: { count: 'u32' },
    body: `
      var sum = 0.0;
      for (var p = 0u; p < uniforms.count; p++) { sum += parts[p * uniforms.size + i]; }
      ${residual ? 'sum += residual[i];' : ''}
      result[i] = sum;`,
  }),
);
