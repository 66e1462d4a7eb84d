import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { newId, sha256 } from '../../src/base/digest';

it('over plain http, where browsers offer no crypto.subtle, the hashes are the same, also for a part of a buffer', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);
  const part = new Float32Array(bytes.buffer, 8, 100);
  const reference = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');
  expect(await sha256(bytes)).toBe(reference(bytes));
  expect(await sha256(bytes.buffer)).toBe(reference(bytes));
  expect(await sha256(part)).toBe(reference(bytes.subarray(8, 408)));
  expect(newId()).toMatch(/^[0-9a-f]{32}$/);
  expect(newId()).not.toBe(newId());
});
