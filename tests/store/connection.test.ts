import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { strictStore } from '../../src/store/connection';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a storage that did not answer is asked again after a pause, although the system’s clock was set back', async () => {
  let asked = 0;
  vi.stubGlobal('indexedDB', { open: () => ((asked += 1), {}) });
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
});
