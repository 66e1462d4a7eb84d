/**
 * One test per fault of tfjs-backend-webgpu 4.22.0 that the engine guards against, in the order in which they were found:
 * each shows the right behaviour under the guard. Some are in engine.webgpu.test.ts: memory of sizes that are no longer
 * asked for, and tensors that are written in place after they were read.
 */
import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { openEngine } from '../../src/gpu/engine';
import { adamW } from '../../src/ops/adamw';
import { embedding } from '../../src/ops/embedding';
import { linear } from '../../src/ops/linear';
import { product } from '../../src/ops/lib/product';
import { sampleHead } from '../../src/ops/sample-head';
import { withReferenceOps } from '../../src/ops/lib/backend-switch';
import { sampled } from '../fixtures/sample';
import { pulling, tinyPolicy } from '../model/tiny';
import { seeded } from '../ops/kernel-checks';
import { randomTensor } from '../ops/random-tensors';

let engine: Engine;
beforeAll(async () => {
  engine = await openSharedEngine();
});
afterAll(() => engine.dispose());

/** Largest error of a·bᵀ in a few elements, in double precision. */
async function productError(a: tf.Tensor2D, b: tf.Tensor2D, product: tf.Tensor2D): Promise<number> {
  const [left, right, values] = [await a.data(), await b.data(), await product.data()];
  const [m, k] = a.shape;
  const n = b.shape[0];
  let worst = 0;
  for (let i = 0; i < m * n; i += 7) {
    let sum = 0;
    for (let j = 0; j < k; j++) sum += left[Math.floor(i / n) * k + j] * right[(i % n) * k + j];
    worst = Math.max(worst, Math.abs(sum - values[i]));
  }
  return worst;
}

describe('a product with a transposed factor and a long contraction', () => {
  const make = () => {
    const random = seeded('split');
    return [
      randomTensor<tf.Rank.R2>(random, [128, 4864]),
      randomTensor<tf.Rank.R2>(random, [16, 4864]),
    ] as const;
  };

  it('is right, plain and fused', async () => {
    const [a, b] = make();
    expect(await productError(a, b, tf.matMul(a, b, false, true))).toBeLessThan(1e-2);
    const weight = { format: 'f32' as const, data: b, outputs: 16, inputs: 4864, trainable: false };
    expect(await productError(a, b, linear(a, weight))).toBeLessThan(1e-2);
  });

  it('has the right gradient, which asks for such a product', async () => {
    const random = seeded('split gradient');
    const h = randomTensor<tf.Rank.R2>(random, [64, 8]);
    const b = randomTensor<tf.Rank.R2>(random, [8, 4864]);
    const dy = randomTensor<tf.Rank.R2>(random, [64, 4864]);
    const guarded = tf.grad((x: tf.Tensor) => product(x as tf.Tensor2D, b))(h, dy);
    expect(await productError(dy, b, guarded as tf.Tensor2D)).toBeLessThan(1e-2);
    const weight = {
      format: 'f32' as const,
      data: tf.transpose(b),
      outputs: 4864,
      inputs: 8,
      trainable: false,
    };
    const fused = tf.grad((x: tf.Tensor) => linear(x as tf.Tensor2D, weight))(h, dy);
    expect(await productError(dy, b, fused as tf.Tensor2D)).toBeLessThan(1e-2);
  });

  it('gives the same bits in every run', async () => {
    const [a, b] = make();
    const first = await tf.matMul(a, b, false, true).data();
    for (let run = 1; run < sampled(4, 12); run++)
      expect(await tf.matMul(a, b, false, true).data()).toEqual(first);
  });
});

const logits = [2, 1, 0, 1, 2];

it('sampling draws every category in every row', async () => {
  const data = tf.tensor2d(logits, [5, 1]);
  const head = { format: 'f32' as const, data, outputs: 5, inputs: 1, trainable: false };
  const drawn = new Set<number>();
  for (let position = 0; position < 40; position++) {
    const options = { temperature: 1, seed: 3, stream: 0, position };
    const { tokens } = sampleHead(tf.ones([2, 1]), head, tf.tensor1d([0, 1], 'int32'), options);
    drawn.add((await tokens.data())[0]);
  }
  expect([...drawn].sort()).toEqual([0, 1, 2, 3, 4]);
});

it('recomputing on the way back works block by block: what the policy has is the gradient of its loss', async () => {
  const policy = await tinyPolicy(engine);
  await policy.backward([[3, 4, 5, 6]], [1], pulling(1));
  const gradient = (await policy.gradients())['model.norm.weight'];
  const state = await policy.state();
  const offset = state.parameters.length - gradient.length; // the final norm is the last parameter of a tied model
  const along = gradient.reduce((sum, value) => sum + value, 0);
  const moved = async (step: number): Promise<number> => {
    policy.restore({
      ...state,
      parameters: state.parameters.map((value, i) => (i < offset ? value : value + step)),
    });
    return (await policy.logprobs([[3, 4, 5, 6]], [1])).logprobs[0].reduce((sum, value) => sum + value, 0);
  };
  const difference = ((await moved(1e-2)) - (await moved(-1e-2))) / 2e-2;
  expect(Math.abs(difference - along) / Math.abs(along)).toBeLessThan(1e-2);
  policy.dispose();
});

it('small ops run on the device, not on values that the CPU happens to hold', () => {
  expect(tf.env().getBool('WEBGPU_CPU_FORWARD')).toBe(false);
  const before = engine.counts().dispatches;
  tf.dispose(tf.add(tf.tensor1d([1]), tf.tensor1d([2])));
  expect(engine.counts().dispatches).toBe(before + 1);
});

describe('a shader that does not compile', () => {
  /** A program of tfjs's own kind. */
  const broken = {
    outputShape: [2],
    shaderKey: 'broken',
    dispatchLayout: { x: [0] },
    dispatch: [1, 1, 1],
    workgroupSize: [1, 1, 1],
    variableNames: [],
    size: true,
    getUserCode: () => 'fn main(index : i32) { not_a_function(index); }',
  } as unknown as Parameters<WebGPUBackend['runWebGPUProgram']>[0];
  const run = (): tf.Tensor => {
    const backend = tf.backend() as unknown as WebGPUBackend;
    return tf.engine().makeTensorFromTensorInfo(backend.runWebGPUProgram(broken, [], 'float32'));
  };

  it('is told by the next readback', async () => {
    await expect(run().data()).rejects.toMatchObject({ code: 'gpu/command-refused' });
    engine.dispose();
    engine = await openEngine({ backend: 'webgpu' });
  });
});

it('an update of 8 variables is one command', () => {
  const flat = (value: number): tf.Tensor1D => tf.fill<tf.Rank.R1>([800], value);
  const state = { parameters: flat(1), moment1: flat(0), moment2: flat(0) };
  const gradient = flat(0.5);
  tf.dispose(tf.concat([state.parameters, state.moment1, state.moment2, gradient])); // all are on the device
  const before = engine.counts().dispatches;
  const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0 };
  adamW(state, gradient, { ...settings, update: 1, gradientScale: 1 });
  expect(engine.counts().dispatches - before).toBe(1);
  tf.dispose([state.parameters, state.moment1, state.moment2, gradient]);
});

it('the gradient of an embedding repeats to the bit and makes no second copy of the table', async () => {
  const random = seeded('gather');
  const table = tf.keep(randomTensor<tf.Rank.R2>(random, [500, 64]));
  const ids = tf.tensor1d(
    Int32Array.from({ length: 900 }, () => random.integer(6)),
    'int32',
  );
  const dy = randomTensor<tf.Rank.R2>(random, [900, 64]);
  const gradient = (data: tf.Tensor): tf.Tensor =>
    tf.grad((t: tf.Tensor) =>
      embedding(ids, { format: 'f32', data: t as tf.Tensor2D, outputs: 500, inputs: 64, trainable: true }),
    )(data, dy);
  const first = gradient(table);
  const values = await first.data();
  engine.resetPeak();
  const before = engine.memory().peak;
  const again = gradient(table);
  expect(engine.memory().peak - before).toBeLessThan(1.5 * 500 * 64 * 4 + 900 * 64 * 4);
  expect(await again.data()).toEqual(values);
  const sums = new Float64Array(64);
  const [tokens, slopes] = [await ids.data(), await dy.data()];
  tokens.forEach((token, row) => {
    if (token === 3) for (let c = 0; c < 64; c++) sums[c] += slopes[row * 64 + c];
  });
  sums.forEach((sum, c) => expect(values[3 * 64 + c]).toBeCloseTo(sum, 3));
});

it('gradients of reference implementations work without tfjs-core being imported whole', async () => {
  const slope = await withReferenceOps(() =>
    tf.grad((x: tf.Tensor) => tf.sum(tf.softmax(x)))(tf.tensor2d([[1, 2, 3]])),
  );
  for (const value of await slope.data()) expect(Math.abs(value)).toBeLessThan(1e-6);
});
