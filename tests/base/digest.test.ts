import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId, sha256 } from '../../src/base/digest';
import { acquireRunLock, acquireTrainerLock, trainerAtWork, whileIdle } from '../../src/store/trainer-lock';

afterEach(() => vi.unstubAllGlobals());

describe('over plain http, where browsers keep back their own', () => {
  it('hashes come out the same, also of a part of a buffer', async () => {
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

  it('a run trains without locks, and nobody else is said to train', async () => {
    vi.stubGlobal('navigator', {});
    const lock = await acquireTrainerLock();
    await lock?.release();
    expect(lock).not.toBeNull();
    await (await acquireRunLock('a')).release();
    expect(await whileIdle('a', () => Promise.resolve('done'))).toBe('done');
    expect(await trainerAtWork()).toEqual({ isBusy: false, runId: null });
  });
});
