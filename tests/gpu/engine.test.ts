import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';

describe('an engine on wasm', () => {
  it('computes values and gradients, counts bytes, and can be opened again', async () => {
    for (let time = 0; time < 2; time++) {
      const engine = await openEngine({ backend: 'wasm' });
      expect(engine.backend).toBe('wasm');
      expect(engine.capabilities).toBeNull();
      const before = engine.memory().total;
      const x = tf.tensor1d([1, 2, 3]);
      expect(engine.memory().total).toBe(before + 16); // dlmalloc rounds up
      const slope = tf.grad((t: tf.Tensor) => tf.sum(tf.mul(t, t)))(x);
      expect(Array.from(await slope.data())).toEqual([2, 4, 6]);
      tf.dispose([x, slope]);
      expect(engine.memory().total).toBe(before);
      engine.dispose();
    }
  });
});

it('an engine is refused while another is opening or open', async () => {
  const refusal = (nextStep: unknown) =>
    expect(openEngine({ backend: 'wasm' })).rejects.toMatchObject({ code: 'gpu/engine-open', nextStep });
  const first = openEngine({ backend: 'wasm' });
  await refusal(expect.stringMatching(/^Wait for it, then dispose of it /));
  const engine = await first;
  await refusal(expect.stringMatching(/^Dispose of it /));
  engine.dispose();
});

describe('without a WebGPU adapter', () => {
  it('the engine falls back to wasm', async () => {
    const engine = await openEngine();
    expect(engine.backend).toBe('wasm');
    engine.dispose();
  });

  it('WebGPU is refused, and another backend can be opened after that', async () => {
    await expect(openEngine({ backend: 'webgpu' })).rejects.toMatchObject({ code: 'gpu/no-webgpu' });
    (await openEngine({ backend: 'wasm' })).dispose();
  });
});
