/**
 * A browser that asks the device every 100 ms whether it is done, as Firefox does, and whenever something is submitted.
 */
import '../fixtures/webgpu/node-webgpu';
import { afterEach, describe, expect, it } from 'vitest';
import { probeAdapter, requestDevice } from '../../src/gpu/capabilities';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { shortestTime } from '../../src/ops/matmul/tune';

const POLL_MS = 100;

// oxlint-disable-next-line typescript/unbound-method -- is given a buffer at each call
const { mapAsync } = GPUBuffer.prototype;
let engine: Engine;
let device: GPUDevice;
afterEach(() => {
  GPUBuffer.prototype.mapAsync = mapAsync;
  engine.dispose();
  device.destroy();
});

/** @param asks whether a submit has the browser ask */
async function polledDevice(asks: boolean): Promise<void> {
  device = await requestDevice((await probeAdapter())!);
  const { queue } = device;
  let waiting: (() => void)[] = [];
  const ask = (): void => {
    const asking = waiting;
    waiting = [];
    for (const resolve of asking) resolve();
  };
  const timer = setInterval(ask, POLL_MS);
  void device.lost.then(() => clearInterval(timer));
  const polled = async <T>(done: Promise<T>): Promise<T> => {
    const value = await done;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return value;
  };
  const submit = queue.submit.bind(queue);
  const done = queue.onSubmittedWorkDone.bind(queue);
  queue.submit = (commands) => {
    submit(commands);
    if (asks) ask();
  };
  queue.onSubmittedWorkDone = () => polled(done());
  GPUBuffer.prototype.mapAsync = function (...given) {
    return polled(mapAsync.apply(this, given));
  };
}

describe('a browser that asks every 100 ms', () => {
  it('is brought to ask by empty submits, and waits are short', async () => {
    await polledDevice(true);
    engine = await openEngine({ backend: 'webgpu', device });
    expect(engine.waitMs).toBeLessThan(30);
    const start = performance.now();
    for (let time = 0; time < 10; time++) await engine.check();
    expect(performance.now() - start).toBeLessThan(10 * 50);
  });

  it('is not nudged in vain', async () => {
    await polledDevice(false);
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

describe('the timing of a product', () => {
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
  ])('tells one of %f ms from one of %f', async (fast, slow) => {
    const [one, other] = [await timed(fast), await timed(slow)];
    expect(one.ms).toBeLessThan(other.ms);
    expect(other.ms / one.ms).toBeGreaterThan(1.1);
  });
});
