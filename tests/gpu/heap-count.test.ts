import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { heapTensor, heapModule } from '../../src/gpu/wasm-heap';

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

  it('is told by name where a tensor finds no room, and the engine goes on', async () => {
    engine = await openEngine({ backend: 'wasm' });
    endGrowth();
    const before = engine.memory().total;
    for (const make of [
      () => heapTensor([2 ** 24]),
      () => tf.zeros([2 ** 24]),
      () => tf.tidy(() => tf.tile(tf.ones([1, 1024]), [2 ** 14, 1])),
    ]) {
      expect(make).toThrow(expect.objectContaining(full));
    }
    expect(engine.memory().total).toBe(before);
    expect([...tf.add([1], [2]).dataSync()]).toEqual([3]);
  });

  it('is told by name where tfjs finds no room for a packed factor, whose product would be wrong', async () => {
    engine = await openEngine({ backend: 'wasm' });
    const [a, b] = [tf.ones<tf.Rank.R2>([4, 1024]), tf.ones<tf.Rank.R2>([1024, 1200])];
    endGrowth();
    expect(fill).toThrow(expect.objectContaining(full));
    expect(() => tf.matMul(a, b)).toThrow(expect.objectContaining(full));
  });
});

function fill(): void {
  for (;;) heapTensor([2 ** 18]);
}
