import { openPoisonedAlone } from '../../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Random } from '../../../src/base/random';
import { probeAdapter } from '../../../src/gpu/capabilities';
import { openEngine, type Engine } from '../../../src/gpu/engine';
import type { MarbleWebGPUBackend } from '../../../src/gpu/webgpu-backend';
import { linearFused, storedMatrix } from '../../../src/ops/linear/wgsl';
import { adapterTraits, matrixProduct, type StoredMatrix } from '../../../src/ops/matmul';
import {
  candidates,
  f16Form,
  rememberTile,
  type ProductShape,
  type TileChoice,
} from '../../../src/ops/matmul/tiles';
import { sampled } from '../../fixtures/sample';
import { jointLinear } from '../../../src/ops/joint-linear';
import { SAMPLING_KEY } from '../../../src/ops/sample-head';
import { sampleHeadFused } from '../../../src/ops/sample-head/wgsl';
import { swiglu } from '../../../src/ops/swiglu';
import { tokenLogprobFused } from '../../../src/ops/token-logprob/wgsl';
import { verifyF16, verifyForwardF16, weightsFitF16 } from '../../../src/ops/verify/f16';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { asOn, BOTH_KINDS, expectClose, onCpu, seeded } from '../kernel-checks';
import { randomJoint } from '../op-cases';
import { f32Weight, randomTensor, randomWeight } from '../random-tensors';

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
  openEngineForAll(openPoisonedAlone);

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

/** A weight of bf16 by which products forward are in f16. */
function halfWeight(name: string, outputs: number, inputs: number) {
  const { weight, plain } = randomWeight(seeded(name), 'bf16', outputs, inputs);
  if (weight.format === 'bf16') weight.half = true;
  return { weight, plain };
}

/** The same in projections. */
function halfJoint(random: Random, segments: readonly number[], inputs: number, rank: number | null) {
  const joint = randomJoint(random, 'bf16', segments, inputs, rank);
  if (joint.weight.format === 'bf16') joint.weight.half = true;
  return joint;
}

/** Largest difference of two kernels of one arithmetic, as of two kernels in f32. */
const SAME_ARITHMETIC = 2e-5;

const kindOf = (choice: TileChoice): string => (choice === 'few-rows' ? choice : choice.kind);

const oneOfEachKind = (choices: readonly TileChoice[]): TileChoice[] =>
  choices.filter((choice, at) => choices.findIndex((other) => kindOf(other) === kindOf(choice)) === at);

describe.skipIf(!hasF16)('products forward in f16', () => {
  openEngineForAll(openPoisonedAlone);

  describe.each(BOTH_KINDS)('as on %s', (kind) => {
    asOn(kind);

    it.each([
      [1, 7, 9],
      [5, 40, 36],
      [19, 21, 260],
      [33, 65, 131],
    ])(
      '%i rows, %i outputs and %i inputs: as the reference implementation, by every tile alike',
      async (...size) => {
        const [rows, outputs, inputs] = size;
        const { weight, plain } = halfWeight(size.join(), outputs, inputs);
        const x = unevenRows(size.join(), rows, inputs);
        const expected = tf.mul<tf.Tensor2D>(tf.matMul(x, tf.transpose(plain.data)), 0.7);
        const shape: ProductShape = {
          direction: 'nt',
          format: 'bf16',
          m: rows,
          n: outputs,
          k: inputs,
          half: true,
        };
        let first: tf.Tensor2D | null = null;
        for (const tile of sampled(
          oneOfEachKind(candidates(shape, adapterTraits())),
          candidates(shape, adapterTraits()),
        )) {
          const y = matrixProduct('nt', x, storedMatrix(weight), { scale: 0.7 }, tile);
          expect(await worstRow(y, expected)).toBeLessThan(TOLERANCE);
          first ??= y;
          await expectClose(y, first, SAME_ARITHMETIC);
        }
      },
    );

    it.each([
      [3, [20], 36, null],
      [5, [18, 6, 6], 7, 3],
      [37, [24, 8, 12], 515, 8],
    ] as const)(
      '%i rows through %j of %i inputs, rank %j, with a bias and a residual',
      async (rows, segments, inputs, rank) => {
        const random = seeded(`${rows}`);
        const joint = halfJoint(random, segments, inputs, rank);
        const x = randomTensor<tf.Rank.R2>(random, [rows, inputs]);
        const residual = randomTensor<tf.Rank.R2>(random, [rows, joint.weight.outputs]);
        const expected = await onCpu(() => jointLinear(x, joint, residual));
        expect(await worstRow(jointLinear(x, joint, residual), expected)).toBeLessThan(TOLERANCE);
      },
    );

    it.each([
      [1, 6, 16, 8],
      [16, 9, 260, null],
      [37, 19, 515, 6],
    ] as const)('%i rows through a gate of %i, of %i inputs, rank %j', async (rows, width, inputs, rank) => {
      const random = seeded(`gated ${rows}`);
      const joint = { ...halfJoint(random, [width, width], inputs, rank), bias: null };
      const x = randomTensor<tf.Rank.R2>(random, [rows, inputs], inputs ** -0.5);
      const expected = await onCpu(() => swiglu(x, joint));
      // Against the size of all rows: of a row whose products nearly cancel f16 leaves few digits.
      const [actual, wanted] = [await swiglu(x, joint).data<'float32'>(), await expected.data<'float32'>()];
      const size = Math.sqrt(wanted.reduce((sum, value) => sum + value * value, 0) / wanted.length);
      const off = actual.reduce((most, value, i) => Math.max(most, Math.abs(value - wanted[i])), 0);
      expect(off / size).toBeLessThan(5 * TOLERANCE); // the largest of all, with two factors
    });

    it.each([
      [1, 12],
      [5, 33],
      [70, 9],
    ])('%i rows of %i through the head: what is drawn is scored alike', async (rows, width) => {
      const random = seeded(`head ${rows}`);
      const { weight, plain } = halfWeight(`head ${rows}`, 300, width);
      const h = unevenRows(`head ${rows}`, rows, width);
      const ids = tf.range(0, rows, 1, 'int32');
      const draw = {
        temperature: 0.7,
        seed: random.integer(1000),
        stream: 2,
        position: 9,
        samplingKey: SAMPLING_KEY,
      };
      const { tokens, logprobs } = sampleHeadFused(h, weight, ids, draw);
      const scored = tokenLogprobFused(h, weight, tokens, 0.7);
      const full = tokenLogprobFused(h, plain, tokens, 0.7);
      const [drawn, half, exact] = [await logprobs.data(), await scored.data(), await full.data()];
      const largest = 1 + Math.max(...exact.slice(0, rows).map(Math.abs));
      for (let row = 0; row < rows; row++) {
        expect(Math.abs(drawn[row] - half[row])).toBeLessThan(SAME_ARITHMETIC * largest);
        expect(Math.abs(half[row] - exact[row])).toBeLessThan(TOLERANCE * largest);
      }
    });

    it('overflow with no input, and are not finite where what comes in is not', async () => {
      const weight = storedMatrix(halfWeight('large', 40, 36).weight);
      weight.data = tf.fill([720], 0x42fe42fe, 'int32'); // 127 throughout
      const x = tf.mul<tf.Tensor2D>(tf.ones([3, 36]), tf.tensor2d([1e30, NaN, 1e-30], [3, 1]));
      for (const tile of [
        'few-rows',
        candidates({ direction: 'nt', format: 'bf16', m: 20, n: 40, k: 36 }, adapterTraits())[0],
      ] as const) {
        const y = await matrixProduct('nt', x, weight, {}, tile).data();
        for (let i = 0; i < 120; i++) {
          if (i >= 40 && i < 80) expect(y[i]).toBeNaN();
          else expect(y[i] / (127 * 36 * (i < 40 ? 1e30 : 1e-30))).toBeCloseTo(1, 2);
        }
      }
    });
  });

  it.each([64, 896, 4864])('are off by as much at %i inputs as at any', async (inputs) => {
    const { weight, plain } = halfWeight('error', 16, inputs);
    const x = randomTensor<tf.Rank.R2>(seeded('rows'), [8, inputs]);
    const half = matrixProduct('nt', x, storedMatrix(weight), {}, 'few-rows');
    const full = matrixProduct('nt', x, storedMatrix(plain), {}, 'few-rows');
    const error = tf.div(tf.norm(tf.sub(half, full)), tf.norm(full));
    const [off] = await error.data();
    console.log(`${inputs} inputs: ${off} of the norm`);
    expect(off).toBeGreaterThan(2e-4);
    expect(off).toBeLessThan(8e-4); // a sum of 32 steps in f16 would be off by more
  });

  it('are allowed once they give what f32 gives', async () => {
    const tensors = tf.memory().numTensors;
    expect(await verifyForwardF16(engine)).toBe(true);
    expect(tf.memory().numTensors).toBe(tensors);
  });

  it('are what a model may hold if all its weights are below 128', async () => {
    const matrix = (largest: number): StoredMatrix => ({
      format: 'bf16',
      data: tf.tensor1d(
        new Int32Array(
          new Uint32Array(new Float32Array([0.5, -largest, 0, 1]).buffer).map((bits) => bits >>> 16),
        ),
        'int32',
      ),
      rows: 2,
      columns: 4,
    });
    expect(await weightsFitF16([matrix(1), matrix(127)])).toBe(true);
    expect(await weightsFitF16([matrix(1), matrix(128)])).toBe(false);
    expect(await weightsFitF16([matrix(NaN)])).toBe(false);
  });
});

describe.skipIf(!hasF16)('products with f16 factors', () => {
  const forward = (own: Engine): Promise<boolean> => verifyForwardF16(own);
  const back = (own: Engine): Promise<boolean> => verifyF16(own, 'f32');
  it.each<[string, RegExp | string, string, typeof back?]>([
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
    [
      'sums everything forward in f16',
      /c(\d_\d) \+= vec4<f32>\(h\1\)/g,
      'c$1 = vec4<f32>(vec4<f16>(c$1) + h$1)',
      forward,
    ],
    ['loses sums of few rows', 's5 += f32(h[1])', 's5 = f32(h[1])', forward],
    ['does not scale forward', /return bitcast<f32>\(u32\(clamp[^;]*/, 'return 1.0', forward],
  ])('are refused from a driver that %s', async (_fault, right, wrong, verify = back) => {
    const own = await openEngine({ backend: 'webgpu' });
    const { device } = tf.backend() as unknown as MarbleWebGPUBackend;
    const compile = device.createShaderModule.bind(device);
    let broken = 0;
    device.createShaderModule = (module) => {
      const code = module.code.includes('enable f16') ? module.code.replace(right, wrong) : module.code;
      if (code !== module.code) broken++;
      return compile({ ...module, code });
    };
    const passed = await verify(own).finally(() => own.dispose());
    expect(broken).toBeGreaterThan(0);
    expect(passed).toBe(false);
  });
});
