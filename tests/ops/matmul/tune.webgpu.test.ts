import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../../src/base/random';
import type { Engine } from '../../../src/gpu/engine';
import { openEngine } from '../../../src/gpu/engine';
import { modelTileCode, tuneModel, type TuneOptions } from '../../../src/model/device/tune-model';
import { adapterTraits } from '../../../src/ops/matmul';
import {
  candidates,
  chooseTile,
  restoreTiles,
  tunedTiles,
  type ProductShape,
  type TileChoices,
} from '../../../src/ops/matmul/tiles';
import { tuneTiles } from '../../../src/ops/matmul/tune';
import { verifyF16 } from '../../../src/ops/verify/f16';
import { sendNothing } from '../../fixtures/webgpu/unsent';
import { tinyConfig } from '../../model/tiny';

let engine: Engine;
beforeEach(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterEach(() => engine.dispose());

const shapes: ProductShape[] = [
  { direction: 'nt', format: 'bf16', m: 12, n: 24, k: 32 },
  { direction: 'nn', format: 'bf16', m: 12, n: 32, k: 24 },
  { direction: 'tn', format: 'f32', m: 24, n: 32, k: 12 },
];

it('each shape gets one of its candidates, which is then taken, and can be kept and restored', async () => {
  const tensors = tf.memory().numTensors;
  const kept = await tuneTiles(engine, shapes, Infinity);
  expect(tf.memory().numTensors).toBe(tensors);
  expect(Object.keys(kept)).toHaveLength(3);
  for (const shape of shapes) {
    expect(candidates(shape, adapterTraits())).toContainEqual(chooseTile(shape, adapterTraits()));
  }
  engine.dispose();
  engine = await openEngine({ backend: 'webgpu' });
  expect(tunedTiles(adapterTraits())).toEqual({}); // a choice dies with its engine
  restoreTiles(JSON.parse(JSON.stringify(kept)) as TileChoices, adapterTraits());
  expect(tunedTiles(adapterTraits())).toEqual(kept);
  const { dispatches } = engine.counts();
  await tuneTiles(engine, shapes);
  expect(engine.counts().dispatches).toBe(dispatches);
});

it('kernels are compiled before the time is taken, side by side', async () => {
  sendNothing();
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const oneByOne: string[] = [];
  const make = device.createComputePipeline.bind(device);
  const makeLater = device.createComputePipelineAsync.bind(device);
  device.createComputePipeline = (descriptor) => {
    oneByOne.push(descriptor.label ?? '');
    return make(descriptor);
  };
  let [underWay, most] = [0, 0];
  device.createComputePipelineAsync = async (descriptor) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 300));
    underWay -= 1;
    return makeLater(descriptor);
  };
  expect(Object.keys(await tuneTiles(engine, shapes, 250))).not.toEqual([]);
  expect(most).toBeGreaterThan(10);
  expect(oneByOne.filter((label) => /^(matmul|few rows)/.test(label))).toEqual([]);
});

it('what no time is left for keeps the choice by rule', async () => {
  expect(await tuneTiles(engine, shapes, -1)).toEqual({});
});

it('choices that no kernel knows are left out', () => {
  const strange = { kind: 'register', rows: 5, columns: 4, across: 8, down: 8 } as const;
  const choices: TileChoices = {
    'nt bf16 8x20x12': strange,
    'nt bf16 8x38x12': 'few-rows',
    'nn bf16 8x12x20': 'few-rows', // it multiplies by rows of W only
  };
  restoreTiles(choices, adapterTraits());
  expect(tunedTiles(adapterTraits())).toEqual({ 'nt bf16 8x38x12': 'few-rows' });
});

describe('the products of a model', () => {
  const options = { weights: 'bf16', decodeRows: 6, trainRows: 40 } as const;

  it('are tuned for decoding all rows and ever fewer, and for both directions of training', async () => {
    sendNothing(); // which products are timed is asked for, not how long they take
    const tiles = await tuneModel(engine, tinyConfig, { ...options, budgetMs: Infinity });
    // q, k and v together: 12 + 4 + 4 outputs of 12 inputs; gate and up: 38
    expect(Object.keys(tiles)).toEqual(
      expect.arrayContaining([
        ...['8x20x12', '8x38x12', '8x12x19', '4x20x12', '1x20x12'].map((size) => `nt bf16 ${size}`),
        ...['nt bf16 64x20x12', 'nn bf16 64x12x20', 'nn bf16 64x19x12'],
      ]),
    );
  });

  it('are the same again by the code of a run, however the clock jitters', async () => {
    sendNothing();
    const tuned = async (seed: number, more: Partial<TuneOptions> = {}): Promise<TileChoices> => {
      engine.dispose();
      engine = await openEngine({ backend: 'webgpu' });
      sendNothing();
      const random = createRandom(seed);
      let now = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 50 * random.uniform()));
      const tiles = await tuneModel(engine, tinyConfig, { ...options, budgetMs: 1e9, ...more });
      clock.mockRestore();
      return tiles;
    };
    const [first, second] = [await tuned(1), await tuned(2)];
    expect(second).not.toEqual(first);
    const code = modelTileCode(tinyConfig, options, first);
    expect(code).toMatch(/^[0-9a-z-]{1,60}$/);
    expect(await tuned(3, { code })).toEqual(first);
    expect(modelTileCode(tinyConfig, options, {})).toMatch(/^-+$/);
  });

  it('leave out what was remembered of other shapes', async () => {
    const known: TileChoices = { 'nt bf16 8x20x12': 'few-rows', 'nt bf16 256x20x12': 'few-rows' };
    expect(await tuneModel(engine, tinyConfig, { ...options, known, budgetMs: -1 })).toEqual({
      'nt bf16 8x20x12': 'few-rows',
    });
  });

  it('take the choices of a run that goes on, and nothing else, where no time is given', async () => {
    const known: TileChoices = {
      'nt bf16 8x20x12': { kind: 'register', rows: 8, columns: 8, across: 8, down: 8 },
    };
    await verifyF16(engine, 'bf16'); // once, where there is f16
    const { dispatches } = engine.counts();
    expect(await tuneModel(engine, tinyConfig, { ...options, known, budgetMs: 0 })).toEqual(known);
    expect(engine.counts().dispatches).toBe(dispatches);
    const shape: ProductShape = { direction: 'nt', format: 'bf16', m: 6, n: 20, k: 12 };
    expect(chooseTile(shape, adapterTraits())).toEqual(known['nt bf16 8x20x12']);
  });
});
