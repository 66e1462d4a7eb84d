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

function entryOf(event: TrainerEvent): [kind: LogKind, step: number, value: unknown] | null {
  switch (event.type) {
    case 'step':
      return ['step', event.record.step, event.record];
    case 'rollouts':
      return ['rollouts', event.step, event.rollouts];
    case 'eval': {
      const { type: kind, ...value } = event;
      return [kind, event.report.step, value];
    }
    case 'alert':
      return ['alert', event.alert.step, event.alert];
    case 'progress':
    case 'checkpoint':
    case 'lost':
    case 'done':
    case 'failed':
      return null;
  }
}

export type RunLog = ReturnType<typeof createLog>;

const standingTypes: readonly TrainerEvent['type'][] = ['done', 'failed'];

/** @param from - entries that the store already holds */
export function createLog(runId: string, from: number) {
  let next = from;
  let stored = from;
  let waiting: LogEntry[] = [];
  let standing: readonly TrainerEvent[] = [];
  return {
    /** Entries that no transaction has taken yet. */
    waiting: (): readonly LogEntry[] => waiting,
    /** The last step and what was said after it, by which a run's record says how it stands, where none has taken that. */
    standing: () => standing,
    /** Length of the log, those that wait included. */
    length: () => next,
    /** Length of the log in the storage, as it was when this one last wrote or read it. */
    stored: () => stored,
    append(events: readonly TrainerEvent[]): void {
      for (const event of events) {
        if (event.type === 'step') standing = [event];
        else if (standingTypes.includes(event.type)) standing = [...standing, event];
        const entry = entryOf(event);
        if (entry === null) continue;
        const [kind, step, value] = entry;
        waiting.push({ key: [kind, runId, next, step], value });
        next += 1;
      }
    },
    /** A transaction with these entries, and a record of that standing and length, is complete. */
    taken(entries: readonly LogEntry[], recorded: readonly TrainerEvent[], length: number): void {
      standing = standing.filter((event) => !recorded.includes(event));
      const kept = new Set(entries);
      waiting = waiting.filter((entry) => !kept.has(entry));
      stored = length;
    },
    /** A transaction failed: all wait on, but for the oldest rollouts. */
    refused(): void {
      const rollouts = waiting.filter(({ key }) => key[0] === 'rollouts');
      const dropped = new Set(rollouts.slice(0, -waitingRollouts));
      waiting = waiting.filter((entry) => !dropped.has(entry));
    },
  };
}
