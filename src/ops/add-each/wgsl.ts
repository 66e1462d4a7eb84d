/** WGSL kernel of `addEach`: up to four pairs in one dispatch, in place. */
import * as tf from '@tensorflow/tfjs-core';
import { defineKernel, foldedWorkgroups, memoize, runKernel, type Kernel } from '../../gpu/kernel';

/** Pairs per dispatch. Every device binds eight storage buffers. */
const PAIRS = 4;

/** One pair for each z of the grid. */
const addKernel = memoize((pairs: number): Kernel => {
  const indices = Array.from({ length: pairs }, (_, pair) => pair);
  return defineKernel({
    name: `add ${pairs}`,
    inputs: Object.fromEntries(indices.map((pair) => [`term${pair}`, 'f32' as const])),
    outputs: Object.fromEntries(indices.map((pair) => [`sum${pair}`, 'f32' as const])),
    uniforms: Object.fromEntries(indices.map((pair) => [`size${pair}`, 'u32' as const])),
    workgroupSize: [64, 1, 1],
    body: `
      let i = folded * 64u + lane;
      switch group.z {
        ${indices
          .map((pair) => {
            const last = pair === pairs - 1;
            return `${last ? 'default' : `case ${pair}u`}: { if (i < uniforms.size${pair}) { sum${pair}[i] += term${pair}[i]; } }`;
          })
          .join('\n')}
      }`,
  });
});

export function addEachWgsl<T extends tf.Tensor>(sums: readonly T[], terms: readonly T[]): T[] {
  for (let first = 0; first < sums.length; first += PAIRS) {
    const own = sums.slice(first, first + PAIRS);
    const named = (name: string, tensors: readonly T[]): Record<string, T> =>
      Object.fromEntries(tensors.map((tensor, pair) => [`${name}${pair}`, tensor]));
    const [x, y] = foldedWorkgroups(Math.ceil(Math.max(...own.map(({ size }) => size)) / 64));
    runKernel(addKernel(own.length), {
      inputs: named('term', terms.slice(first, first + PAIRS)),
      outputs: named('sum', own),
      uniforms: Object.fromEntries(own.map(({ size }, pair) => [`size${pair}`, size])),
      workgroups: [x, y, own.length],
    });
  }
  tf.dispose([...terms]);
  return [...sums];
}
