import { openPoisoned } from '../../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { matrixProduct, storedMatrix } from '../../../src/ops/matmul';
import { openEngineForAll } from '../../fixtures/engine';
import { expectClose, ruledTiles, seeded } from '../kernel-checks';
import { randomTensor, randomWeight } from '../random-tensors';

openEngineForAll(openPoisoned);

describe('every tile', () => {
  it.each(['nt', 'nn', 'tn'] as const)('gives the same product in direction %s', async (direction) => {
    const random = seeded(direction);
    const [m, n, k] = [37, 52, 200];
    const a = randomTensor<tf.Rank.R2>(random, direction === 'tn' ? [k, m] : [m, k]);
    const weight = randomWeight(random, 'f32', direction === 'nt' ? n : k, direction === 'nt' ? k : n);
    const b = weight.data as tf.Tensor2D;
    const expected = tf.matMul(
      direction === 'tn' ? tf.transpose(a) : a,
      direction === 'nt' ? tf.transpose(b) : b,
    );
    const tiles = ruledTiles(direction, m);
    expect(tiles.length).toBe(direction === 'nt' ? 9 : 7);
    for (const tile of tiles) {
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
    const residual = randomTensor<tf.Rank.R2>(random, [8, 24]);
    const added = matrixProduct('tn', a, matrix, { scale: 0.5, residual });
    const first = await matrixProduct('tn', a, matrix).data();
    for (let run = 1; run < 12; run++) {
      expect(await matrixProduct('tn', a, matrix).data()).toEqual(first);
    }
    backend.traits = before;
    const expected = tf.matMul(tf.transpose(a), b);
    await expectClose(tf.tensor(first, [8, 24]), expected);
    await expectClose(added, tf.add(tf.mul(expected, 0.5), residual));
  });
});
