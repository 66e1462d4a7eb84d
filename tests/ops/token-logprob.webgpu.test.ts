import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { tokenLogprob, tokenLogprobPlain } from '../../src/ops/token-logprob';
import { tokenLogprobFused } from '../../src/ops/token-logprob/wgsl';
import { expectClose, expectFiniteDifferences, poison, randomTensor, seeded } from './kernel-checks';
import { engine, openEngineForAll } from '../fixtures/engine';
import { f32Weight } from './random-weight';

openEngineForAll(openSharedEngine);

function randomHead(name: string, rows: number, vocabulary: number, width: number) {
  const random = seeded(name);
  const h = randomTensor<tf.Rank.R2>(random, [rows, width], 2);
  const data = randomTensor<tf.Rank.R2>(random, [vocabulary, width]);
  const ids = Int32Array.from({ length: rows }, () => random.integer(vocabulary));
  return {
    random,
    h,
    data,
    tokens: tf.tensor1d(ids, 'int32'),
    dy: randomTensor<tf.Rank.R2>(random, [2, rows]),
  };
}

describe.each([
  [1, 5, 4],
  [37, 131, 12],
  [9, 300, 33],
])('tokenLogprob of %i rows over %i tokens', (rows, vocabulary, width) => {
  it('equals its reference implementation in values and gradients', async () => {
    const { h, data, tokens, dy } = randomHead(`${rows}`, rows, vocabulary, width);
    poison([rows, vocabulary], [2, rows], [3, rows], h.shape, data.shape);
    const run = (twin: typeof tokenLogprobPlain) => {
      const apply = (...[states, table]: tf.Tensor[]) => {
        return twin(states as tf.Tensor2D, f32Weight(table as tf.Tensor2D, true), tokens, 0.8);
      };
      return {
        value: apply(h, data),
        gradients: tf.grads((...args: tf.Tensor[]) => apply(...args))([h, data], dy),
      };
    };
    const [fused, plain] = [run(tokenLogprobFused), run(tokenLogprobPlain)];
    await expectClose(fused.value, plain.value);
    for (let i = 0; i < 2; i++) await expectClose(fused.gradients[i], plain.gradients[i], 5e-5);
  });
});

it.each([
  ['fused', tokenLogprobFused],
  ['plain', tokenLogprobPlain],
])('%s, takes rows in chunks when their logits would not fit, with the same result', async (_name, twin) => {
  const { h, data, tokens, dy } = randomHead('chunks', 71, 45, 4);
  const run = (bytes: number): tf.Tensor[] => {
    const apply = (...[x, table]: tf.Tensor[]): tf.Tensor2D =>
      twin(x as tf.Tensor2D, f32Weight(table as tf.Tensor2D, true), tokens, 0.8, bytes);
    return [apply(h, data), ...tf.grads(apply)([h, data], dy)];
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

it('gradients equal finite differences', async () => {
  const { random, h, data, tokens, dy } = randomHead('differences', 3, 11, 6);
  await expectFiniteDifferences(
    (x, table) =>
      tf.sum(tf.mul(tokenLogprob(x as tf.Tensor2D, f32Weight(table as tf.Tensor2D, true), tokens, 1.5), dy)),
    [h, data],
    random,
  );
});
