import '../fixtures/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { openEngine } from '../../src/gpu/engine';
import { adapterTraits } from '../../src/ops/matrix-product';
import {
  candidates,
  chooseTile,
  forgetTiles,
  restoreTiles,
  tunedTiles,
  type TileChoice,
} from '../../src/ops/tiles';
import { linearShapes, tuneTiles } from '../../src/ops/tune';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterAll(() => {
  forgetTiles();
  engine.dispose();
});

it('each shape gets one of its candidates, which is then taken, and can be kept and restored', async () => {
  const shapes = linearShapes('bf16', [24, 32], 12, { input: true, weight: true });
  expect(shapes.map(({ direction }) => direction)).toEqual(['nt', 'nn', 'tn']);
  const tensors = tf.memory().numTensors;
  const kept = await tuneTiles(engine, shapes);
  expect(tf.memory().numTensors).toBe(tensors);
  expect(Object.keys(kept)).toHaveLength(3);
  for (const shape of shapes) {
    expect(candidates(shape, adapterTraits())).toContainEqual(chooseTile(shape, adapterTraits()));
  }
  const text = JSON.stringify(kept);
  forgetTiles();
  expect(tunedTiles()).toEqual({});
  restoreTiles(JSON.parse(text) as Record<string, TileChoice>);
  expect(tunedTiles()).toEqual(kept);
  const dispatches = engine.counts().dispatches;
  await tuneTiles(engine, shapes);
  expect(engine.counts().dispatches).toBe(dispatches);
});

it('choices that no kernel knows are left out', () => {
  forgetTiles();
  restoreTiles({ a: { kind: 'register', rows: 5, columns: 4, across: 8, down: 8 }, b: 'few-rows' });
  expect(tunedTiles()).toEqual({ b: 'few-rows' });
});
