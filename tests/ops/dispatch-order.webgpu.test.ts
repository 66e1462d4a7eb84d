/** Grids of kernels in which workgroups that read the same data are neighbours: cards run them by their index, x first. */
import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { MarbleWebGPUBackend } from '../../src/gpu/webgpu/backend';
import { attendNewTokenWgsl, createCache } from '../../src/ops/decode-attention/wgsl';
import { ropeTables, rotaryFrequencies } from '../../src/ops/rope';
import { sampleHeadWgsl } from '../../src/ops/sample-head/wgsl';
import { openEngineForAll } from '../fixtures/engine';
import { sendNothing } from '../fixtures/webgpu/unsent';

openEngineForAll('webgpu');
beforeAll(sendNothing);

/** Workgroups along x, y and z of the first dispatch of `run`. */
function firstGrid(run: () => unknown): readonly [number, number, number] {
  const backend = tf.backend() as unknown as MarbleWebGPUBackend;
  const dispatch = backend.dispatch.bind(backend);
  const grids: (readonly [number, number, number])[] = [];
  backend.dispatch = (...args) => {
    grids.push(args[4]);
    dispatch(...args);
  };
  run();
  backend.dispatch = dispatch;
  return grids[0];
}

it('decoding has the heads that share keys and values side by side', () => {
  const [rows, heads, kvHeads, headDim] = [64, 14, 2, 64];
  const shape: [number, number, number, number] = [1, 512, kvHeads, headDim];
  const grid = firstGrid(() => {
    const one = new Array<number>(rows).fill(0);
    const cache = createCache({ k: tf.zeros(shape), v: tf.zeros(shape) }, [512], one, 512);
    const tables = ropeTables(1024, rotaryFrequencies(headDim, 1e4));
    attendNewTokenWgsl(tf.zeros([rows, (heads + 2 * kvHeads) * headDim]), cache, tables, null);
  });
  expect(grid).toEqual([heads, rows, 1]);
});

it('drawing has all rows of the same tokens side by side', () => {
  const [rows, vocabulary, width] = [64, 16_384, 896];
  const data = tf.zeros<tf.Rank.R1>([(vocabulary * width) / 2], 'int32');
  const head = { format: 'bf16' as const, outputs: vocabulary, inputs: width, data };
  const options = { temperature: 1, seed: 1, stream: 0, position: 0 };
  const ids = tf.zeros<tf.Rank.R1>([rows], 'int32');
  const grid = firstGrid(() => sampleHeadWgsl(tf.zeros([rows, width]), head, ids, options));
  expect(grid).toEqual([rows / 16, vocabulary / 64, 1]);
});
