import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { linearPlain } from '../../../src/ops/linear';
import type { Weight } from '../../../src/ops/lib/weight';
import { linearFused, storedMatrix } from '../../../src/ops/linear/wgsl';
import { adapterTraits, matrixProduct } from '../../../src/ops/matmul';
import { candidates } from '../../../src/ops/matmul/tiles';
import { sampled } from '../../fixtures/sample';
import {
  asOn,
  BOTH_KINDS,
  expectClose,
  expectFiniteDifferences,
  onCpu,
  poison,
  randomTensor,
  seeded,
} from '../kernel-checks';
import { randomWeight } from '../random-weight';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll(openSharedEngine);

const SHAPES = {
  'a row, aligned': [1, 8, 16],
  'few rows, not aligned': [5, 7, 9],
  'a tile and a row more, aligned': [33, 20, 36],
  'part of a tile': [11, 30, 24],
  'two tiles each way, not aligned': [70, 65, 131],
  'one output of one input': [2, 1, 1],
};

/**
 * Of the product of shapes, weight formats and kinds of adapter. The sample: every format meets the product of few rows
 * (`gemv.wgsl.ts`) and that of tiles, aligned and not, and f32 the edges of large tiles on both kinds.
 */
const shapesOf = (format: 'f32' | 'bf16', kind: (typeof BOTH_KINDS)[number]): number[][] => {
  const onCard = kind === 'a graphics card';
  const {
    'a row, aligned': row,
    'few rows, not aligned': few,
    'a tile and a row more, aligned': more,
  } = SHAPES;
  const large = SHAPES['two tiles each way, not aligned'];
  const packed = [row, few, more];
  return format === 'f32'
    ? sampled(onCard ? [few, more, large] : [row, few, large], Object.values(SHAPES))
    : sampled((format === 'bf16') === onCard ? [row, more] : [few, more], packed);
};

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  describe.each(['f32', 'bf16'] as const)('linear with %s weights', (format) => {
    it.each(shapesOf(format, kind))(
      '%i rows, %i outputs, %i inputs: values and gradients equal the reference implementation',
      async (rows, outputs, inputs) => {
        const random = seeded(`${format} ${rows} ${outputs} ${inputs}`);
        const { weight, plain } = randomWeight(random, format, outputs, inputs);
        const x = randomTensor<tf.Rank.R2>(random, [rows, inputs]);
        const bias = randomTensor<tf.Rank.R1>(random, [outputs]);
        const residual = randomTensor<tf.Rank.R2>(random, [rows, outputs]);
        const dy = randomTensor<tf.Rank.R2>(random, [rows, outputs]);
        const options = { bias, residual, scale: 0.7 };
        const gradients = (twin: typeof linearPlain, used: Weight): tf.Tensor[] =>
          tf.grads((...args: tf.Tensor[]) => {
            const [input, b, r, data] = args as [tf.Tensor2D, tf.Tensor1D, tf.Tensor2D, tf.Tensor2D?];
            const trained = used.format === 'f32' && used.trainable ? { ...used, data: data! } : used;
            return twin(input, trained, { bias: b, residual: r, scale: 0.7 });
          })([x, bias, residual, ...(plain.trainable ? [plain.data] : [])], dy);
        const parts = [options, { bias }, { residual }, {}];
        const [values, expected] = await onCpu(() => [
          parts.map((part) => linearPlain(x, plain, part)),
          gradients(linearPlain, plain),
        ]);
        poison([rows, outputs], [rows, inputs], [outputs, inputs], [outputs]);
        for (const [i, part] of parts.entries()) await expectClose(linearFused(x, weight, part), values[i]);
        const fused = gradients((input, w, o) => linearFused(input, w, o ?? {}), weight);
        for (let i = 0; i < fused.length; i++) await expectClose(fused[i], expected[i]);
      },
    );
  });
});

describe('every tile', () => {
  const shape = { m: 37, n: 52, k: 200 };
  const traits = () => ({ ...adapterTraits(), isSoftware: false }); // cuts contractions as on a graphics card

  it.each(['nt', 'nn', 'tn'] as const)('gives the same product in direction %s', async (direction) => {
    const random = seeded(direction);
    const { m, n, k } = shape;
    const a = randomTensor<tf.Rank.R2>(random, direction === 'tn' ? [k, m] : [m, k]);
    const { weight } = randomWeight(random, 'f32', direction === 'nt' ? n : k, direction === 'nt' ? k : n);
    const b = weight.data as tf.Tensor2D;
    const expected = tf.matMul(
      direction === 'tn' ? tf.transpose(a) : a,
      direction === 'nt' ? tf.transpose(b) : b,
    );
    const tiles = candidates({ direction, format: 'f32', m, n, k }, traits());
    expect(tiles.length).toBeGreaterThanOrEqual(direction === 'nt' ? 9 : 7);
    for (const tile of tiles) {
      poison([m, n]);
      await expectClose(matrixProduct(direction, a, storedMatrix(weight), {}, tile), expected);
    }
  });

  it('adds the parts of a long contraction to the same product, bit for bit in every run', async () => {
    const random = seeded('parts');
    const a = randomTensor<tf.Rank.R2>(random, [1037, 8]);
    const b = randomTensor<tf.Rank.R2>(random, [1037, 24]);
    const matrix = { format: 'f32' as const, data: b, rows: 1037, columns: 24 };
    const backend = tf.backend() as unknown as { traits: { isSoftware: boolean } };
    const before = backend.traits;
    backend.traits = { ...before, isSoftware: false };
    const first = await matrixProduct('tn', a, matrix).data();
    for (let run = 1; run < 12; run++) {
      expect(await matrixProduct('tn', a, matrix).data()).toEqual(first);
    }
    backend.traits = before;
    await expectClose(tf.tensor(first, [8, 24]), tf.matMul(tf.transpose(a), b));
  });
});

it('compiles one kernel for a product with a bias, with a residual and with neither', () => {
  const random = seeded('one kernel');
  const { weight } = randomWeight(random, 'f32', 12, 20);
  const x = randomTensor<tf.Rank.R2>(random, [6, 20]);
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const compiled = vi.spyOn(device, 'createComputePipeline');
  linearFused(x, weight, {});
  const before = compiled.mock.calls.length;
  linearFused(x, weight, { bias: randomTensor<tf.Rank.R1>(random, [12]) });
  linearFused(x, weight, { residual: randomTensor<tf.Rank.R2>(random, [6, 12]) });
  expect(compiled.mock.calls.length).toBe(before);
  compiled.mockRestore();
});

it('gradients of linear equal finite differences', async () => {
  const random = seeded('differences');
  const { plain: weight } = randomWeight(random, 'f32', 6, 10);
  const target = randomTensor<tf.Rank.R2>(random, [5, 6]);
  const inputs = [
    randomTensor(random, [5, 10]),
    weight.data,
    randomTensor(random, [6]),
    randomTensor(random, [5, 6]),
  ];
  await expectFiniteDifferences(
    (x, data, bias, residual) => {
      const y = linearFused(
        x as tf.Tensor2D,
        { ...weight, data: data as tf.Tensor2D },
        {
          bias: bias as tf.Tensor1D,
          residual: residual as tf.Tensor2D,
          scale: 0.5,
        },
      );
      return tf.sum(tf.mul(tf.mul(y, y), target));
    },
    inputs,
    random,
  );
});
