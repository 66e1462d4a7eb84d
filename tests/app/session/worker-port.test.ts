import { afterEach, expect, it, vi } from 'vitest';
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

it.each([
  [
    'fails where nobody catches it',
    { message: 'x is not a function' },
    'app/worker-failed',
    /\(trainer\) failed: x is/,
  ],
  ['cannot be fetched, as after an update of the site', {}, 'app/part-missing', /./],
  ['is closed', null, 'app/worker-closed', /./],
])('a question ends by name where its worker %s', async (_, error, code, words) => {
  const { port, worker, asked } = await openedPort();
  const waiting = [refusalOf(asked), refusalTextOf(asked)];
  if (error === null) port.close();
  else worker.dispatchEvent(Object.assign(new Event('error'), error));
  expect(await waiting[0]).toBe(code);
  expect(await waiting[1]).toMatch(words);
  expect(worker.isTerminated).toBe(error === null);
});
