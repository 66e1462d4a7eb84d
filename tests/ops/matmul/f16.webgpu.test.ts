import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { probeAdapter } from '../../../src/gpu/capabilities';
import { openEngine } from '../../../src/gpu/engine';
import type { MarbleWebGPUBackend } from '../../../src/gpu/webgpu-backend';
import { linearFused, storedMatrix } from '../../../src/ops/linear/wgsl';
import { adapterTraits, matrixProduct } from '../../../src/ops/matmul';
import { candidates, f16Form, rememberTile, type ProductShape } from '../../../src/ops/matmul/tiles';
import { verifyF16 } from '../../../src/ops/verify/f16';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { asOn, BOTH_KINDS, poison, randomTensor, seeded } from '../kernel-checks';
import { f32Weight, randomWeight } from '../random-weight';

const hasF16 = (await probeAdapter())!.features.has('shader-f16');
if (!hasF16)
  console.warn('SKIPPED: this adapter has no f16 (docs/architecture.md says how to take another).');

/** Of a row's norm: twice the usual error. */
const TOLERANCE = 2e-3;

/** Largest norm of a row's error relative to the row's; NaN never passes, a row of zeros only as zeros. */
async function worstRow(actual: tf.Tensor2D, expected: tf.Tensor2D): Promise<number> {
  expect(actual.shape).toEqual(expected.shape);
  const columns = actual.shape[1];
  const [a, e] = [await actual.data(), await expected.data()];
  let worst = 0;
  for (let first = 0; first < e.length; first += columns) {
    let [difference, norm] = [0, 0];
    for (let i = first; i < first + columns; i++) {
      difference += (a[i] - e[i]) ** 2;
      norm += e[i] ** 2;
    }
    const error = norm === 0 ? (difference === 0 ? 0 : Infinity) : Math.sqrt(difference / norm);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/** dY of rows as large as they may come. */
function unevenRows(name: string, rows: number, columns: number): tf.Tensor2D {
  const magnitudes = [1, 1e-12, 1e4, 0, 3e-7, 1e-3];
  const factors = Array.from({ length: rows }, (_, row) => magnitudes[row % magnitudes.length]);
  return tf.mul(randomTensor<tf.Rank.R2>(seeded(name), [rows, columns]), tf.tensor2d(factors, [rows, 1]));
}

describe.skipIf(!hasF16)('gradients by the input with f16 factors', () => {
  openEngineForAll('webgpu');

  describe.each(BOTH_KINDS)('as on %s', (kind) => {
    asOn(kind);
    beforeEach(() => {
      adapterTraits().f16 = [];
    });

    it.each(['f32', 'bf16'] as const)(
      'are used with %s weights once they give what f32 gives',
      async (format) => {
        expect(await verifyF16(engine, format)).toBe(true);
        expect(adapterTraits().f16).toEqual([format]);
        const tensors = tf.memory().numTensors;
        const { dispatches } = engine.counts();
        expect(await verifyF16(engine, format)).toBe(true);
        expect(engine.counts().dispatches).toBe(dispatches);
        expect(tf.memory().numTensors).toBe(tensors);
      },
    );

    it.each([
      ['f32', 5, 7, 9],
      ['f32', 70, 65, 131],
      ['bf16', 33, 301, 36],
      ['bf16', 1, 64, 17],
      ['bf16', 11, 130, 24],
      ['bf16', 40, 33, 50],
      ['f32', 2, 1, 1],
    ] as const)(
      'with %s weights, %i rows, %i outputs and %i inputs: as the reference implementation',
      async (...size) => {
        const [format, rows, outputs, inputs] = size;
        adapterTraits().f16 = ['f32', 'bf16'];
        const { weight, plain } = randomWeight(seeded(size.join()), format, outputs, inputs);
        const dy = unevenRows(size.join(), rows, outputs);
        const expected = tf.mul<tf.Tensor2D>(tf.matMul(dy, plain.data), 0.7);
        const shape: ProductShape = { direction: 'nn', format, m: rows, n: inputs, k: outputs };
        for (const tile of candidates(shape, adapterTraits())) {
          const half = f16Form(tile, shape, adapterTraits());
          expect(half).not.toBeNull();
          poison([rows, inputs], [rows, 2 * Math.ceil(outputs / 4)], [rows], [outputs]);
          const dx = matrixProduct('nn', dy, storedMatrix(weight), { scale: 0.7 }, half!);
          expect(await worstRow(dx, expected)).toBeLessThan(TOLERANCE);
        }
      },
    );

    it('neither overflow nor vanish with weights far outside the range of f16', async () => {
      const steps = [1e9, 1e-9, 1, 1e6, 0, 1e-30];
      const factors = Array.from({ length: 50 }, (_, step) => steps[step % steps.length]);
      const w = tf.mul<tf.Tensor2D>(randomTensor(seeded('w'), [50, 12]), tf.tensor2d(factors, [50, 1]));
      const dy = tf.div<tf.Tensor2D>(
        randomTensor(seeded('dy'), [6, 50]),
        tf.tensor2d(
          factors.map((f) => f || 1),
          [1, 50],
        ),
      );
      const half = { kind: 'register', rows: 4, columns: 4, across: 8, down: 8, half: true } as const;
      const dx = matrixProduct('nn', dy, storedMatrix(f32Weight(w)), {}, half);
      expect(await worstRow(dx, tf.matMul(dy, w))).toBeLessThan(TOLERANCE);
    });

    it('are not finite where what comes in is not', async () => {
      const half = { kind: 'register', rows: 4, columns: 4, across: 8, down: 8, half: true } as const;
      const w = { format: 'f32', data: tf.ones([3, 4]), rows: 3, columns: 4 } as const;
      const values = [1, NaN, 1, 1, 1, 1, 1, Infinity, 1];
      const dx = await matrixProduct('nn', tf.tensor2d(values, [3, 3]), w, {}, half).data();
      expect(Array.from(dx, Number.isFinite)).toEqual(Array.from({ length: 12 }, (_, i) => i >> 2 === 1));
    });

    it('are what a layer computes where its shape has that tile, and its output stays as it was', async () => {
      const { weight } = randomWeight(seeded('layer'), 'bf16', 40, 24);
      const x = randomTensor<tf.Rank.R2>(seeded('x'), [16, 24]);
      const dy = randomTensor<tf.Rank.R2>(seeded('dy'), [16, 40]);
      const run = async (): Promise<Float32Array[]> => {
        const f = (input: tf.Tensor): tf.Tensor => linearFused(input as tf.Tensor2D, weight, {});
        const results = [f(x), ...tf.grads(f)([x], dy)];
        return Promise.all(results.map(async (result) => (await result.data()) as Float32Array));
      };
      const [y, full] = await run();
      adapterTraits().f16 = ['f32', 'bf16'];
      const shape: ProductShape = { direction: 'nn', format: 'bf16', m: 16, n: 24, k: 40 };
      rememberTile(
        shape,
        f16Form(candidates(shape, adapterTraits())[0], shape, adapterTraits())!,
        adapterTraits(),
      );
      const [same, half] = await run();
      expect(same).toEqual(y);
      expect(half).not.toEqual(full);
      expect(await worstRow(tf.tensor2d(half, [16, 24]), tf.tensor2d(full, [16, 24]))).toBeLessThan(
        TOLERANCE,
      );
    });
  });
});

describe.skipIf(!hasF16)('products with f16 factors', () => {
  it.each([
    ['sums everything in f16', /c(\d_\d) \+= vec4<f32>\(h\1\)/g, 'c$1 = vec4<f32>(vec4<f16>(c$1) + h$1)'],
    ['keeps the last sum only', /c(\d_\d) \+= vec4<f32>\(h\1\)/g, 'c$1 = vec4<f32>(h$1)'],
    ['does not scale', /return bitcast<f32>\(u32\(clamp[^;]*/, 'return 1.0'],
    [
      'leaves rows unwritten',
      'if (lane == 0u) { units[row] = unit; }',
      'if (row != 2u && lane == 0u) { units[row] = unit; }',
    ],
    [
      'flushes small numbers',
      'return vec4<f16>(load_b(row, column) * inverse(step_units[row]));',
      'let v = vec4<f16>(load_b(row, column) * inverse(step_units[row])); return select(v, vec4<f16>(0.0), abs(v) < vec4<f16>(1.0));',
    ],
  ])('are refused from a driver that %s', async (_fault, right, wrong) => {
    const own = await openEngine({ backend: 'webgpu' });
    const { device } = tf.backend() as unknown as MarbleWebGPUBackend;
    const compile = device.createShaderModule.bind(device);
    let broken = 0;
    device.createShaderModule = (module) => {
      const code = module.code.includes('enable f16') ? module.code.replace(right, wrong) : module.code;
      if (code !== module.code) broken++;
      return compile({ ...module, code });
    };
    const passed = await verifyF16(own, 'f32').finally(() => own.dispose());
    expect(broken).toBeGreaterThan(0);
    expect(passed).toBe(false);
  });
});
