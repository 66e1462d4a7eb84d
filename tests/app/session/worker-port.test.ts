import { afterEach, describe, expect, it, vi } from 'vitest';
import { refusalOf, refusalTextOf } from '../../model/refusal';

/** A worker that never answers. The test dispatches the events that the page listens for. */
class SilentWorker extends EventTarget {
  static last: SilentWorker;
  isTerminated = false;
  constructor() {
    super();
    SilentWorker.last = this;
  }
  postMessage(): void {
    // messages are discarded
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

async function openedPort() {
  vi.stubGlobal('Worker', SilentWorker);
  const { ask, openWorker } = await import('../../../src/app/session/worker-port');
  const port = openWorker<{ answer(): Promise<void> }>('trainer', 'Reload the page.');
  return { port, worker: SilentWorker.last, asked: () => ask(port, (service) => service.answer()) };
}

afterEach(() => vi.unstubAllGlobals());

describe('a question to a worker', () => {
  it('ends by name where something in the worker fails that nobody caught', async () => {
    const { worker, asked } = await openedPort();
    const waiting = [refusalOf(asked), refusalTextOf(asked)];
    worker.dispatchEvent(Object.assign(new Event('error'), { message: 'x is not a function' }));
    expect(await waiting[0]).toBe('app/worker-failed');
    expect(await waiting[1]).toBe('A worker of this page (trainer) failed: x is not a function.');
  });

  it('ends by name where the script of the worker cannot be fetched, as after an update of the site', async () => {
    const { worker, asked } = await openedPort();
    const waiting = refusalOf(asked);
    worker.dispatchEvent(new Event('error'));
    expect(await waiting).toBe('app/part-missing');
  });

  it('ends by name where the page closes the worker', async () => {
    const { port, worker, asked } = await openedPort();
    const waiting = refusalOf(asked);
    port.close();
    expect(await waiting).toBe('app/worker-closed');
    expect(worker.isTerminated).toBe(true);
  });
});
