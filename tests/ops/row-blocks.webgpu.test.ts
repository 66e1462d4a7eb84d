/** Matrices that are bound in blocks of rows: the products, draws and gradients of one that is bound whole. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { AdapterTraits } from '../../src/gpu/capabilities';
import { embeddingWgsl } from '../../src/ops/embedding/wgsl';
import { rowBlocks } from '../../src/ops/lib/row-blocks';
import type { Weight } from '../../src/ops/lib/weight';
import { matrixProduct, storedMatrix } from '../../src/ops/matmul';
import { sampleHeadWgsl } from '../../src/ops/sample-head/wgsl';
import { swiglu } from '../../src/ops/swiglu';
import { tokenLogprobWgsl } from '../../src/ops/token-logprob/wgsl';
import { asOn, BOTH_KINDS, expectClose, ruledTiles, SAMPLING, seeded } from './kernel-checks';
import { randomJoint } from './op-cases';
import { randomTensor, randomWeight } from './random-tensors';
import { openEngineForAll } from '../fixtures/engine';
import { sampled } from '../fixtures/sample';

openEngineForAll(openPoisoned);

/** Runs `body` where at most so many bytes can be bound. */
function bindingAtMost<T>(maxBindingBytes: number, body: () => T): T {
  const backend = tf.backend() as unknown as { traits: AdapterTraits };
  const before = backend.traits;
  backend.traits = { ...before, maxBindingBytes };
  try {
    return body();
  } finally {
    backend.traits = before;
  }
}

describe('blocks of rows', () => {
  const data = { size: 6000 } as tf.Tensor;
  const matrix = { format: 'f32' as const, data, rows: 1000, columns: 6 };

  it('are one where all rows can be bound', () => {
    expect(rowBlocks(matrix, { maxBindingBytes: 24_000 })).toEqual([{ first: 0, count: 1000, data }]);
  });

  it('are as few as possible, of like size, and begin where a binding may', () => {
    const blocks = rowBlocks(matrix, { maxBindingBytes: 23_999 });
    expect(blocks.map(({ first, count }) => [first, count])).toEqual([
      [0, 512],
      [512, 488],
    ]);
    expect(blocks[1].data).toMatchObject({ byteOffset: 512 * 24, byteLength: 488 * 24 });
    const least = rowBlocks({ ...matrix, format: 'bf16' }, { maxBindingBytes: 1 });
    expect(least.map(({ count }) => count)).toEqual([128, 128, 128, 128, 128, 128, 128, 104]);
  });
});

const matrices = [
  ['f32', 1, 300, 12],
  ['bf16', 37, 431, 16],
  ['bf16', 5, 300, 33],
  ['f32', 70, 270, 9],
] as const;

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  // The sample has both formats on both kinds, and few and many rows of each.
  const some = kind === 'a graphics card' ? matrices.slice(2) : matrices.slice(0, 2);
  describe.each(sampled(some, [...matrices]))(
    '%s, %i rows over %i tokens of %i',
    (format, rows, vocabulary, width) => {
      const bytes = 200 * width * 2; // 128 rows are more, and yet the least that a block has
      const made = (): {
        weight: Weight;
        h: tf.Tensor2D;
        ids: tf.Tensor1D;
        random: ReturnType<typeof seeded>;
      } => {
        const random = seeded(`${format} ${rows} ${vocabulary}`);
        const weight = {
          ...randomWeight(random, format, vocabulary, width),
          trainable: false,
        } as Weight;
        const ids = Int32Array.from({ length: rows }, () => random.integer(vocabulary));
        ids[0] = vocabulary - 1;
        return { random, weight, h: randomTensor(random, [rows, width]), ids: tf.tensor1d(ids, 'int32') };
      };

      it('gives the bits of a whole matrix forward', { tags: ['long'] }, async () => {
        const { weight, h, ids } = made();
        const matrix = storedMatrix(weight);
        const run = (limit: number): tf.Tensor[] =>
          bindingAtMost(limit, () => {
            const products = ruledTiles('nt', rows).map((tile) =>
              matrixProduct('nt', h, matrix, { scale: 0.7 }, tile),
            );
            const { tokens, logprobs } = sampleHeadWgsl(h, weight, ids, SAMPLING);
            return [...products, embeddingWgsl(ids, weight), tokens, logprobs];
          });
        const [blocks, whole] = [run(bytes), run(2 ** 27)];
        for (const [index, tensor] of whole.entries()) {
          expect(await blocks[index].data()).toEqual(await tensor.data());
        }
      });

      it('gives the gradients of a whole matrix, by every tile', async () => {
        const { random, weight, h, ids } = made();
        const dy = randomTensor<tf.Rank.R2>(random, [rows, vocabulary]);
        const residual = randomTensor<tf.Rank.R2>(random, [rows, width]);
        const dStatistics = randomTensor<tf.Rank.R2>(random, [2, rows]);
        const run = (limit: number): tf.Tensor[] =>
          bindingAtMost(limit, () => {
            const products = ruledTiles('nn', rows).map((tile) =>
              matrixProduct('nn', dy, storedMatrix(weight), { scale: 0.7, residual }, tile),
            );
            const statistics = tf.grad((x: tf.Tensor) =>
              tokenLogprobWgsl(x as tf.Tensor2D, weight, ids, 0.8, 16 * vocabulary),
            )(h, dStatistics);
            return [...products, statistics];
          });
        const [blocks, whole] = [run(bytes), run(2 ** 27)];
        for (const [index, tensor] of whole.entries()) await expectClose(blocks[index], tensor);
      });
    },
  );

  it.each([2, 20])('gives the gated product of a whole matrix, of %i rows', (rows) => {
    const random = seeded(`gated ${rows}`);
    const gateUp = { ...randomJoint(random, 'bf16', [200, 200], 16, null), bias: null };
    const x = randomTensor<tf.Rank.R2>(random, [rows, 16]);
    return expectClose(
      bindingAtMost(200 * 16 * 2, () => swiglu(x, gateUp)),
      swiglu(x, gateUp),
    );
  });
});
