import { afterEach, expect, it, vi } from 'vitest';
import { otherCardWords } from '../../../src/app/ui/device';

afterEach(() => vi.unstubAllGlobals());

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15';

it.each([
  [windows, 'intel gen-12lp', true],
  [windows, 'amd rdna-2', true],
  [windows, 'nvidia lovelace', false],
  [windows, null, false],
  [mac, 'intel gen-9', false],
])('%s on %s is told how Windows gives a browser the stronger card: %s', (userAgent, adapter, says) => {
  vi.stubGlobal('navigator', { userAgent });
  expect(otherCardWords(adapter)?.includes('High performance') ?? false).toBe(says);
});
