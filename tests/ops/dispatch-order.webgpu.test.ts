/**
 * Replays the reads of workgroups against a cache. Neighbours that read the same data must hit it. The replay assumes
 * that workgroups run in the order of their indices, x first, as cards schedule them.
 */
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

/** Bytes that are read past a cache of so many, which drops what was read longest ago. */
function misses(
  [across, down]: readonly [number, number, number],
  read: (x: number, y: number) => { part: string; bytes: number },
  cacheBytes: number,
): number {
  const held = new Map<string, number>();
  let [filled, missed] = [0, 0];
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const { part, bytes } = read(x, y);
      if (held.delete(part)) filled -= bytes;
      else missed += bytes;
      held.set(part, bytes);
      filled += bytes;
      for (const [oldest, size] of held) {
        if (filled <= cacheBytes) break;
        held.delete(oldest);
        filled -= size;
      }
    }
  }
  return missed;
}

const MEGABYTE = 1e6;

it('decoding reads keys and values once for all heads that share them', () => {
  const [rows, heads, kvHeads, headDim, length] = [64, 14, 2, 64, 512];
  const shape: [number, number, number, number] = [1, length, kvHeads, headDim];
  const grid = firstGrid(() => {
    const one = new Array<number>(rows).fill(0);
    const cache = createCache({ k: tf.zeros(shape), v: tf.zeros(shape) }, [length], one, length);
    const tables = ropeTables(1024, rotaryFrequencies(headDim, 1e4));
    attendNewTokenWgsl(tf.zeros([rows, (heads + 2 * kvHeads) * headDim]), cache, tables, null);
  });
  expect(grid).toEqual([heads, rows, 1]);
  const bytes = 2 * 4 * length * headDim; // of a row's own keys and values for one key head
  const read = (head: number, row: number) => ({ part: `${row} ${Math.floor(head / 7)}`, bytes });
  expect(misses(grid, read, MEGABYTE)).toBe(rows * kvHeads * bytes);
});

it('drawing reads the table of embeddings once for all rows', () => {
  const [rows, vocabulary, width] = [64, 16_384, 896];
  const head = { format: 'bf16' as const, outputs: vocabulary, inputs: width };
  const data = tf.zeros<tf.Rank.R1>([(vocabulary * width) / 2], 'int32');
  const options = { temperature: 1, seed: 1, stream: 0, position: 0 };
  const ids = tf.zeros<tf.Rank.R1>([rows], 'int32');
  const grid = firstGrid(() => sampleHeadWgsl(tf.zeros([rows, width]), { ...head, data }, ids, options));
  const bytes = (2 * vocabulary * width) / grid[1]; // of the columns of one workgroup
  const read = (_: number, columns: number) => ({ part: `${columns}`, bytes });
  expect(grid[0] * grid[1]).toBe(4 * (vocabulary / 64));
  expect(misses(grid, read, MEGABYTE)).toBe(2 * vocabulary * width);
});
