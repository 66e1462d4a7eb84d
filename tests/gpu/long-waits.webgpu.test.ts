/**
 * A browser that asks the device every 100 ms whether it is done, as Firefox does, and whenever something is submitted.
 */
import '../fixtures/webgpu/node-webgpu';
import { polledDevice } from '../fixtures/webgpu/bad-devices';
import { afterEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';

let engine: Engine;
let device: GPUDevice;
let restore: () => void;
afterEach(() => {
  restore();
  engine.dispose();
  device.destroy();
});

describe('a browser that asks every 100 ms', () => {
  it('is brought to ask by empty submits, and waits are short', async () => {
    ({ device, restore } = await polledDevice(true));
    engine = await openEngine({ backend: 'webgpu', device });
    expect(engine.waitMs).toBeLessThan(30);
    const start = performance.now();
    for (let time = 0; time < 10; time++) await engine.check();
    expect(performance.now() - start).toBeLessThan(10 * 50);
  });

  it('is not nudged in vain', async () => {
    ({ device, restore } = await polledDevice(false));
    engine = await openEngine({ backend: 'webgpu', device });
    expect(engine.waitMs).toBeGreaterThan(50);
    const submits: number[] = [];
    const { queue } = device;
    const submit = queue.submit.bind(queue);
    queue.submit = (commands) => {
      submits.push([...commands].length);
      submit(commands);
    };
    await engine.check();
    expect(submits).not.toContain(0);
  });
});
