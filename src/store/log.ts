/**
 * A run's log: its step records, rollouts, evaluations and alerts in the order in which they happened. Events wait in
 * memory until a transaction has taken them, so that a failure of the storage loses none that a later one can keep.
 */
import type { TrainerEvent } from '../run/record/events';
import type { LogKey, LogKind } from './keys';

interface LogEntry {
  key: LogKey;
  value: unknown;
}

/** Of rollouts, the bulk of a log, this many steps wait at most: storage that stays full must not fill the memory. */
const waitingRollouts = 20;

function entryOf(event: TrainerEvent): { kind: LogKind; step: number; value: unknown } | null {
  switch (event.type) {
    case 'step':
      return { kind: 'step', step: event.record.step, value: event.record };
    case 'rollouts':
      return { kind: 'rollouts', step: event.step, value: event.rollouts };
    case 'eval': {
      const { type: kind, ...value } = event;
      return { kind, step: event.report.step, value };
    }
    case 'alert':
      return { kind: 'alert', step: event.alert.step, value: event.alert };
    case 'progress':
    case 'checkpoint':
    case 'lost':
    case 'done':
    case 'failed':
      return null;
  }
}

export interface RunLog {
  /** Entries that no transaction has taken yet. */
  waiting(): readonly LogEntry[];
  append(events: readonly TrainerEvent[]): void;
  /** The last step and what was said after it, by which a run's record says how it stands, where none has taken that. */
  standing(): readonly TrainerEvent[];
  /** Length of the log, those that wait included. */
  length(): number;
  /** Length of the log in the storage, as it was when this one last wrote or read it. */
  stored(): number;
  /** A transaction with these entries, and a record of that standing and length, is complete. */
  taken(entries: readonly LogEntry[], standing: readonly TrainerEvent[], length: number): void;
  /** A transaction failed: all wait on, but for the oldest rollouts. */
  refused(): void;
}

const standingTypes: readonly TrainerEvent['type'][] = ['done', 'failed'];

/** @param from - entries that the store already holds */
export function createLog(runId: string, from: number): RunLog {
  let next = from;
  let stored = from;
  let waiting: LogEntry[] = [];
  let standing: readonly TrainerEvent[] = [];
  return {
    waiting: () => waiting,
    standing: () => standing,
    length: () => next,
    stored: () => stored,
    append(events) {
      for (const event of events) {
        if (event.type === 'step') standing = [event];
        else if (standingTypes.includes(event.type)) standing = [...standing, event];
        const entry = entryOf(event);
        if (entry === null) continue;
        waiting.push({ key: [entry.kind, runId, next, entry.step], value: entry.value });
        next += 1;
      }
    },
    taken(entries, recorded, length) {
      standing = standing.filter((event) => !recorded.includes(event));
      const kept = new Set(entries);
      waiting = waiting.filter((entry) => !kept.has(entry));
      stored = length;
    },
    refused() {
      const rollouts = waiting.filter(({ key }) => key[0] === 'rollouts');
      const dropped = new Set(rollouts.slice(0, -waitingRollouts));
      waiting = waiting.filter((entry) => !dropped.has(entry));
    },
  };
}
