/**
 * WGSL kernels of `embedding`. The forward kernel reads four columns per invocation from any weight format. The
 * backward kernel has one workgroup per token of the vocabulary, which scans the ids in order and adds its token's
 * rows. It uses no atomics, so the bits are the same every time. It reads vocabulary x rows ids, which suits the small
 * models that train their table.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, elementKernel, emptyTensor, foldedWorkgroups, memoize } from '../../gpu/kernel';
import { runElements, runKernel } from '../../gpu/kernel';
import { differentiable } from '../lib/differentiable';
import { rowBlocks } from '../lib/row-blocks';
import type { Weight } from '../lib/weight';
import { adapterTraits, storedMatrix } from '../matmul';
import type { WeightFormat } from '../lib/weight-load.wgsl';
import { loadFour, storedAs } from '../lib/weight-load.wgsl';

const lookup = memoize(({ format, aligned }: { format: WeightFormat; aligned: boolean }): Kernel =>
  elementKernel({
    name: `embedding ${format}`,
    inputs: { ids: 'i32', table: storedAs(format, aligned) },
    outputs: { y: 'f32' },
    uniforms: { width: 'u32', first: 'u32', end: 'u32' },
    declarations: loadFour('table', format, aligned, 'uniforms.width'),
    body: `
      let fours = (uniforms.width + 3u) / 4u;
      let row = i / fours;
      let column = (i % fours) * 4u;
      let id = u32(ids[row]);
      if (id < uniforms.first || id >= uniforms.end) { return; } // of another block
      let values = load_table(id - uniforms.first, column);
      for (var z = 0u; z < min(4u, uniforms.width - column); z++) { y[row * uniforms.width + column + z] = values[z]; }`,
  }),
);

const scatter = defineKernel({
  name: 'embedding backward',
  inputs: { ids: 'i32', dy: 'f32' },
  outputs: { d_table: 'f32' },
  uniforms: { rows: 'u32', width: 'u32', vocabulary: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let token = folded;
    if (token >= uniforms.vocabulary) { return; }
    for (var column = lane; column < uniforms.width; column += 64u) {
      var sum = 0.0;
      for (var row = 0u; row < uniforms.rows; row++) {
        if (u32(ids[row]) == token) { sum += dy[row * uniforms.width + column]; }
      }
      d_table[token * uniforms.width + column] = sum;
    }`,
});

export function embeddingWgsl(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  const rows = ids.shape[0];
  const { outputs: vocabulary, inputs: width, format } = table;
  const aligned = width % 4 === 0;
  const trained = table.format === 'f32' && table.trainable ? [table.data] : [];
  return differentiable(trained, () => {
    const y = emptyTensor<tf.Rank.R2>([rows, width]);
    for (const { first, count, data } of rowBlocks(storedMatrix(table), adapterTraits())) {
      runElements(lookup({ format, aligned }), rows * Math.ceil(width / 4), {
        inputs: { ids, table: data },
        outputs: { y },
        uniforms: { width, first, end: first + count },
      });
    }
    return {
      value: y,
      saved: [ids],
      gradient: (dy, [idsSaved]) =>
        trained.map(() => () => {
          const dTable = emptyTensor<tf.Rank.R2>([vocabulary, width]);
          runKernel(scatter, {
            inputs: { ids: idsSaved, dy },
            outputs: { d_table: dTable },
            uniforms: { rows, width, vocabulary },
            workgroups: foldedWorkgroups(vocabulary),
          });
          return dTable;
        }),
    };
  });
}
