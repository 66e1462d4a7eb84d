import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { addEach } from '../../src/ops/add-each';
import { withReferenceOps } from '../../src/ops/lib/backend-switch';
import { expectClose, randomTensor, seeded } from './kernel-checks';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll(openSharedEngine);

it.each([1, 4, 9])(
  'adds %i pairs of unlike sizes, each to its own, and gives back the rest',
  async (count) => {
    const random = seeded(`add ${count}`);
    const shapes = Array.from({ length: count }, (_, i) => [1 + ((i * 7) % 5), 1 + ((i * 61) % 130)]);
    const sums = shapes.map((shape) => randomTensor(random, shape));
    const terms = shapes.map((shape) => randomTensor(random, shape));
    const expected = sums.map((sum, i) => tf.add(sum, terms[i]));
    const copies = [sums, terms].map((tensors) => tensors.map((tensor) => tf.add(tensor, 0)));
    const before = tf.memory().numTensors;
    const fused = addEach(sums, terms);
    const plain = await withReferenceOps(() => addEach(copies[0], copies[1]));
    expect(tf.memory().numTensors).toBe(before - 2 * count);
    for (let i = 0; i < count; i++) {
      await expectClose(fused[i], expected[i], 1e-7);
      await expectClose(plain[i], expected[i], 1e-7);
    }
  },
);
