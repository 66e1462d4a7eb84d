import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId, sha256 } from '../../src/base/digest';
import { acquireRunLock, acquireTrainerLock, trainerAtWork, whileIdle } from '../../src/store/trainer-lock';

afterEach(() => vi.unstubAllGlobals());

describe('over plain http, where browsers offer neither crypto.subtle nor locks', () => {
  it('computes the same hashes, also for a part of a buffer', async () => {
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

  it('trains without locks and reports no other trainer', async () => {
    vi.stubGlobal('navigator', {});
    const lock = await acquireTrainerLock();
    await lock?.release();
    expect(lock).not.toBeNull();
    await (await acquireRunLock('a')).release();
    expect(await whileIdle('a', () => Promise.resolve('done'))).toBe('done');
    expect(await trainerAtWork()).toEqual({ isBusy: false, runIds: [] });
  });
});
