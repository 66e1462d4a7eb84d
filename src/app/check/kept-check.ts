/** The last check of this computer: small, and this browser's alone. */
import { signal, type Signal } from '@preact/signals';
import type { ComputerCheck } from '../../../workers/protocol';

export interface KeptCheck {
  readonly check: Signal<ComputerCheck | null>;
  keep(check: ComputerCheck): void;
}

const KEY = 'marble.check';

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** @param storage - null where the browser gives none: it is then known as long as the page is open */
export function createKeptCheck(storage: Storage | null): KeptCheck {
  const check = signal<ComputerCheck | null>(read(storage));
  return {
    check,
    keep(found) {
      check.value = found;
      try {
        storage?.setItem(KEY, JSON.stringify(found));
      } catch {
        // Full or refused.
      }
    },
  };
}

/** What an older version has kept, or somebody has put there, is as good as nothing. */
function read(storage: Storage | null): ComputerCheck | null {
  try {
    const value: unknown = JSON.parse(storage?.getItem(KEY) ?? 'null');
    return isCheck(value) ? value : null;
  } catch {
    return null;
  }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

function isCheck(value: unknown): value is ComputerCheck {
  const { checkedAt, costs, times } = (value ?? {}) as Partial<Record<keyof ComputerCheck, unknown>>;
  const fit = (list: unknown, numbers: readonly string[]): boolean =>
    Array.isArray(list) &&
    list.every(
      (entry: Record<string, unknown> | null) =>
        typeof entry?.preset === 'string' && numbers.every((name) => isNumber(entry[name])),
    );
  return (
    isNumber(checkedAt) &&
    fit(costs, ['memory', 'modelMemory', 'download']) &&
    fit(times, ['trained', 'answered'])
  );
}

/** The browser's own small storage; null where it is refused. */
export function browserStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
