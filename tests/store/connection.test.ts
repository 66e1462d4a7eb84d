import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { strictStore, within } from '../../src/store/connection';

afterEach(() => void vi.useRealTimers());

/** Blocks the whole process, as sleep of the computer does. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('the timeout excludes sleep of the computer', async () => {
  const answer = within(400, async () => {
    await wait(30);
    sleep(1000);
    await wait(60);
    return 'answer';
  });
  expect(await answer).toBe('answer');
});

it.each([
  ['when it was opened', false],
  ['in a transaction', true],
])(
  'a storage that did not answer %s is asked again after a pause, although the system’s clock was set back',
  async (_, opens) => {
    vi.useFakeTimers();
    let asked = 0;
    const nothing = () => undefined;
    const transaction = { addEventListener: nothing, objectStore: () => ({}), abort: nothing };
    const database = { transaction: () => transaction, close: nothing };
    const open = () => {
      asked += 1;
      const request = { result: database, onsuccess: nothing };
      if (opens) queueMicrotask(() => request.onsuccess());
      return request;
    };
    vi.stubGlobal('indexedDB', { open });
    const use = strictStore('silent', { open: 100, answer: 100, pause: 1000 });
    const failed = async (): Promise<unknown> => {
      const attempt = use('readonly', () => 1).then(
        () => null,
        (thrown: unknown) => (thrown as { code: string }).code,
      );
      await vi.advanceTimersByTimeAsync(150);
      return attempt;
    };
    expect([await failed(), asked]).toEqual(['store/unavailable', 1]);
    expect([await failed(), asked]).toEqual(['store/unavailable', 1]); // within the pause
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect([await failed(), asked]).toEqual(['store/unavailable', 2]);
  },
);
