/**
 * A browser that asks the device every 100 ms whether it is done, as Firefox does, and whenever something is submitted.
 */
import '../fixtures/webgpu/node-webgpu';
import { POLL_MS, polledDevice } from '../fixtures/webgpu/bad-devices';
import { afterEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { shortestTime } from '../../src/ops/matmul/tune';

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

/** What it finds of a product of so many milliseconds where waits end at multiples of 100. */
async function timed(productMs: number): Promise<{ ms: number; spent: number }> {
  let now = 0;
  const polled = {
    waitMs: POLL_MS,
    check: () => {
      now = (Math.floor(now / POLL_MS) + 1) * POLL_MS;
      return Promise.resolve();
    },
  };
  const ms = await shortestTime(
    polled,
    () => (now += productMs),
    () => now,
  );
  return { ms, spent: now };
}

it.each([
  [1, 1.5],
  [3, 4.5],
  [20, 30],
])('the timing of a product tells one of %f ms from one of %f', async (fast, slow) => {
  const [one, other] = [await timed(fast), await timed(slow)];
  expect(one.ms).toBeLessThan(other.ms);
  expect(other.ms / one.ms).toBeGreaterThan(1.1);
});
