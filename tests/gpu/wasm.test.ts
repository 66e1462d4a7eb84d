import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { heapAddress, heapFloats } from '../../src/gpu/wasm-heap';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

it('a clone has the values of its tensor in common with it, for as long as one of them is there', () => {
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
