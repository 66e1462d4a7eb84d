/** The last check of this computer: small, and this browser's alone. */
import { signal } from '@preact/signals';
import * as v from 'valibot';
import type { ComputerCheck } from '../../../workers/protocol';
import type { BrowserStorage } from './browser-storage';

export type KeptCheck = ReturnType<typeof createKeptCheck>;

const KEY = 'marble.check';

/** Where the storage keeps nothing it is known as long as the page is open. */
export function createKeptCheck(storage: BrowserStorage) {
  const check = signal<ComputerCheck | null>(read(storage));
  return {
    check,
    keep(found: ComputerCheck): void {
      check.value = found;
      storage.keep(KEY, JSON.stringify(found));
    },
  };
}

/** What an older version has kept, or somebody has put there, is as good as nothing. */
function read(storage: BrowserStorage): ComputerCheck | null {
  try {
    const value: unknown = JSON.parse(storage.read(KEY) ?? 'null');
    return v.is(checkSchema, value) ? (value as ComputerCheck) : null;
  } catch {
    return null;
  }
}

const checkSchema = v.object({
  checkedAt: v.pipe(v.number(), v.maxValue(8.64e15)), // the last date there is
  costs: v.array(
    v.object({ preset: v.string(), memory: v.number(), modelMemory: v.number(), download: v.number() }),
  ),
  times: v.array(v.object({ preset: v.string(), trained: v.number(), answered: v.number() })),
});
