import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import { tokenLogprobWgsl } from '../../src/ops/token-logprob/wgsl';
import { expectClose, seeded } from './kernel-checks';
import { engine, openEngineForAll } from '../fixtures/engine';
import { f32Weight, randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

it('takes rows in chunks when their logits would not fit, with the same result', async () => {
  const random = seeded('chunks');
  const inputs = [randomTensor(random, [71, 4], 2), randomTensor(random, [45, 4])];
  const ids = Int32Array.from({ length: 71 }, () => random.integer(45));
  const tokens = tf.tensor1d(ids, 'int32');
  const dy = randomTensor(random, [2, 71]);
  const run = (bytes: number): tf.Tensor[] => {
    const apply = (...[x, table]: tf.Tensor[]): tf.Tensor2D =>
      tokenLogprobWgsl(x as tf.Tensor2D, f32Weight(table as tf.Tensor2D, true), tokens, 0.8, bytes);
    return [apply(...inputs), ...tf.grads(apply)(inputs, dy)];
  };
  const bytes = 30 * 45 * 4 + 3;
  const whole = run(71 * 45 * 4);
  engine.trim();
  const making = vi.spyOn((tf.backend() as unknown as { device: GPUDevice }).device, 'createBuffer');
  const parts = run(bytes);
  expect(Math.max(...making.mock.calls.map(([{ size }]) => size))).toBeLessThanOrEqual(bytes);
  making.mockRestore();
  for (let i = 0; i < 3; i++) await expectClose(parts[i], whole[i]);
});
