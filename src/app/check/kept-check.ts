/** The last check of this computer, and what was estimated of the runs since: small, and this browser's alone. */
import { signal, type Signal } from '@preact/signals';
import type { ComputerCheck } from '../../../workers/protocol';

/** Seconds that a run was said to take, and that it has trained so far in this page. */
export interface HeldEstimate {
  estimated: number;
  took: number;
}

export interface KeptCheck {
  readonly check: Signal<ComputerCheck | null>;
  /** By the id of the run. */
  readonly estimates: Signal<Readonly<Record<string, HeldEstimate>>>;
  keep(check: ComputerCheck): void;
  keepEstimate(run: string, held: HeldEstimate | null): void;
}

const MOST_RUNS = 100;

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** @param storage - null where the browser gives none: all is then known as long as the page is open */
export function createKeptCheck(storage: Storage | null): KeptCheck {
  const check = signal<ComputerCheck | null>(read(storage, 'marble.check', isCheck));
  const estimates = signal<Readonly<Record<string, HeldEstimate>>>(
    read(storage, 'marble.estimates', isEstimates) ?? {},
  );
  return {
    check,
    estimates,
    keep(found) {
      check.value = found;
      write(storage, 'marble.check', found);
    },
    keepEstimate(run, held) {
      const rest = Object.entries(estimates.value).filter(([id]) => id !== run);
      const all = held === null ? rest : [...rest, [run, held] as const];
      estimates.value = Object.fromEntries(all.slice(-MOST_RUNS));
      write(storage, 'marble.estimates', estimates.value);
    },
  };
}

/** What an older version has kept, or somebody has put there, is as good as nothing. */
function read<T>(storage: Storage | null, key: string, is: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? 'null');
    return is(value) ? value : null;
  } catch {
    return null;
  }
}

function write(storage: Storage | null, key: string, value: unknown): void {
  try {
    storage?.setItem(key, JSON.stringify(value));
  } catch {
    // Full or refused: it is known as long as the page is open.
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

function isEstimates(value: unknown): value is Record<string, HeldEstimate> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value as Record<string, Partial<HeldEstimate> | null>).every(
      (held) => isNumber(held?.estimated) && isNumber(held?.took),
    )
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
