import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { heapAddress, heapFloats, heapModule, heapTensor } from '../../src/gpu/wasm-heap';

let engine: Engine;
afterEach(() => engine.dispose());

/** Makes every further growth of the heap fail, as on a system without free memory. */
function endGrowth(): void {
  const { memory } = heapModule().asm;
  memory.grow = () => {
    throw new RangeError('WebAssembly.Memory.grow(): Maximum memory size exceeded');
  };
}

describe('a heap that is full', () => {
  const full = { code: 'gpu/out-of-memory' };

  it('throws a named error for a tensor that does not fit, and the engine remains usable', async () => {
    engine = await openEngine({ backend: 'wasm' });
    endGrowth();
    const before = engine.memory().total;
    for (const make of [
      () => heapTensor([2 ** 24]),
      () => heapTensor([2 ** 30 + 1]), // 4 bytes in 32 bits
      () => tf.zeros([2 ** 24]),
      () => tf.tidy(() => tf.tile(tf.ones([1, 1024]), [2 ** 14, 1])),
    ]) {
      expect(make).toThrow(expect.objectContaining(full));
    }
    expect(engine.memory().total).toBe(before);
    expect([...tf.add([1], [2]).dataSync()]).toEqual([3]);
  });

  it('leaves room for functions of tfjs, which otherwise abort or leave their output unwritten', async () => {
    engine = await openEngine({ backend: 'wasm' });
    const [x, spare] = [tf.ones<tf.Rank.R2>([8, 8]), heapTensor([2 ** 15])];
    endGrowth();
    for (let size = 2 ** 18; size >= 1; size /= 2) {
      expect(() => fill(size)).toThrow(expect.objectContaining(full));
    }
    spare.dispose();
    expect([...tf.transpose(tf.add(x, x)).dataSync()]).toEqual(new Array(64).fill(2));
  });
});

function fill(size: number): void {
  for (;;) heapTensor([size]);
}

it('a clone has the values of its tensor in common with it, for as long as one of them is there', async () => {
  engine = await openEngine({ backend: 'wasm' });
  const before = tf.memory().numTensors;
  const tensor = tf.tensor1d([1, 2, 3]);
  const clone = tf.clone(tensor);
  expect(heapAddress(clone)).toBe(heapAddress(tensor));
  const first = heapAddress(tensor) / 4;
  tensor.dispose();
  tf.tensor1d([7, 7, 7]).dispose(); // would reuse the memory if it were freed
  expect([...heapFloats().subarray(first, first + 3)]).toEqual([1, 2, 3]);
  clone.dispose();
  expect(tf.memory().numTensors).toBe(before);
});
