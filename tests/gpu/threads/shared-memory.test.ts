import { afterEach, expect, it, vi } from 'vitest';
import { sharedMemoryAvailable } from '../../../src/gpu/threads/shared-memory';

afterEach(() => vi.unstubAllGlobals());

it('memory can be shared in Node, and in a page only if it is cross-origin isolated', () => {
  expect(sharedMemoryAvailable()).toBe(true);
  for (const isIsolated of [true, false]) {
    vi.stubGlobal('crossOriginIsolated', isIsolated);
    expect(sharedMemoryAvailable()).toBe(isIsolated);
  }
});
