import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { dropTape, recordTape, replayed } from '../../src/gpu/recorded-tape';
import { heapAddress, heapFloats } from '../../src/gpu/wasm-heap';
import { rmsNorm } from '../../src/ops/rms-norm';
import { rope, ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

const wave = (size: number, step: number): Float32Array =>
  Float32Array.from({ length: size }, (_, i) => Math.sin(step * (i + 1)));

it('a gradient is taken later from what was computed before, and nothing is left', () => {
  const tables = ropeTables(8, rotaryFrequencies(4, 100));
  const x = tf.tensor2d(wave(24, 0.7), [3, 8]);
  const gain = tf.tensor1d(wave(8, 0.3));
  const dy = tf.tensor2d(wave(24, 0.2), [3, 8]);
  const compute = (): tf.Tensor => {
    const heads = tf.reshape<tf.Rank.R3>(rmsNorm(x, gain, 1e-6), [3, 2, 4]);
    return tf.reshape(rope(heads, rotationAt(tables, Int32Array.of(1, 5, 2))), [3, 8]);
  };
  const expected = tf
    .grads(compute)([x, gain], dy)
    .map((gradient) => gradient.dataSync().slice());
  const before = tf.memory().numTensors;

  const tape = recordTape(compute);
  const value = tape.output.dataSync().slice();
  tape.output.dispose();
  const found = tf.grads(replayed(tape))([x, gain], dy);
  expect(found.map((gradient) => gradient.dataSync().slice())).toEqual(expected);
  expect(value).toEqual(tf.tidy(() => compute().dataSync().slice()));
  tf.dispose(found);

  const unused = recordTape(compute);
  unused.output.dispose();
  dropTape(unused);
  expect(tf.memory().numTensors).toBe(before);
});

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
