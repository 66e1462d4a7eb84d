import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchInTime } from '../../src/base/fetch-in-time';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Rejects when the signal aborts, as `fetch` does, and never otherwise. */
const untilAborted = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new DOMException('aborted', 'AbortError'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop);
  });

it.each([
  ['whose server does not answer', (signal: AbortSignal) => untilAborted(signal)],
  [
    'whose server sends no end',
    (signal: AbortSignal) => Promise.resolve({ json: () => untilAborted(signal) } as unknown as Response),
  ],
])('a file of the page %s is given up after a minute, or by the caller', async (_, answer) => {
  vi.stubGlobal('fetch', (_address: string, { signal }: { signal: AbortSignal }) => answer(signal));
  const abort = new AbortController();
  let state = 'waits';
  const wait = (outer?: AbortSignal): void =>
    void fetchInTime('/x.json', (response) => response.json(), outer).catch(() => (state = 'given up'));
  wait();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(state).toBe('waits');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state).toBe('given up');
  state = 'waits';
  wait(abort.signal);
  await vi.advanceTimersByTimeAsync(1);
  expect(state).toBe('waits');
  abort.abort();
  await vi.advanceTimersByTimeAsync(1);
  expect([state, vi.getTimerCount()]).toEqual(['given up', 0]);
  state = 'waits';
  wait(abort.signal); // aborted already
  await vi.advanceTimersByTimeAsync(1);
  expect(state).toBe('given up');
});

it('no request is made elsewhere than in the functions that end it', () => {
  const root = join(import.meta.dirname, '..', '..');
  const files = ['src', 'workers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const withRequests = files.filter(
    (name) =>
      /\.tsx?$/.test(name) &&
      /(?<![\w.])fetch\(|XMLHttpRequest|WebSocket|EventSource/.test(codeOf(join(root, name))),
  );
  expect(withRequests.toSorted()).toEqual([
    'src/app/shell/service-worker.ts', // `tests/base/shell-cache.test.ts`
    'src/base/fetch-in-time.ts',
    'src/base/shell-cache.ts',
    'src/model/source/retries.ts', // `tests/model/source/waits.test.ts`
  ]);
});

const codeOf = (path: string): string =>
  readFileSync(path, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*/g, '');
