/** Adds the parts of a split contraction in a fixed order, so equal runs give equal bits. */
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, memoize } from '../../gpu/kernel';

/**
 * result[i] = residual[i], if any, + sum over parts p, in order, of parts[p * size + i]. Workgroups of 64 lie along a
 * folded x axis.
 */
export const sumPartsKernel = memoize((residual: boolean): Kernel =>
  defineKernel({
    name: 'sum parts',
    inputs: { parts: 'f32', ...(residual ? { residual: 'f32' } : {}) },
    outputs: { result: 'f32' },
    uniforms: { size: 'u32', count: 'u32' },
    workgroupSize: [64, 1, 1],
    body: `
      let i = (group.y * groups.x + group.x) * 64u + lane;
      if (i >= uniforms.size) { return; }
      var sum = 0.0;
      for (var p = 0u; p < uniforms.count; p++) { sum += parts[p * uniforms.size + i]; }
      ${residual ? 'sum += residual[i];' : ''}
      result[i] = sum;`,
  }),
);
