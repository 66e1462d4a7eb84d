import { expect, it, vi } from 'vitest';
import { breather } from '../../src/base/waits';

it('pauses whenever the units since the last pause are many', async () => {
  const pauses = vi.spyOn(globalThis, 'setTimeout');
  const breathe = breather(10);
  const counts: number[] = [];
  for (const units of [4, 4, 4, 9, 1, 50, 9]) {
    await breathe(units);
    counts.push(pauses.mock.calls.length);
  }
  expect(counts).toEqual([0, 0, 1, 1, 2, 3, 3]);
  vi.restoreAllMocks();
});
