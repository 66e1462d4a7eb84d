/**
 * A run's log: its step records, rollouts, evaluations and alerts in chronological order. Events stay in memory until a
 * transaction has stored them. After a failure of the storage the next successful transaction stores them.
 */
import type { MarbleError } from '../base/error';
import type { TrainerEvent } from '../run/record/events';
import type { LogKey, LogKind } from './keys';

interface LogEntry {
  key: LogKey;
  value: unknown;
}

/** Limit on the steps whose rollouts, the bulk of a log, stay in memory while the storage is full. */
const pendingRollouts = 20;

function entryOf(event: TrainerEvent): [kind: LogKind, step: number, value: unknown] | null {
  if (event.type === 'step') return ['step', event.record.step, event.record];
  if (event.type === 'rollouts') return ['rollouts', event.step, event.rollouts];
  if (event.type === 'alert') return ['alert', event.alert.step, event.alert];
  if (event.type !== 'eval') return null;
  const { type, ...value } = event;
  return [type, event.report.step, value];
}

export type RunLog = ReturnType<typeof createLog>;

const endingTypes: readonly TrainerEvent['type'][] = ['done', 'failed'];

/** @param from length of the log in the store */
export function createLog(runId: string, from: number) {
  let next = from;
  let stored = from;
  /** Lengths of the log with writes that the storage did not answer in time, and may have completed. */
  const unanswered = new Set<number>();
  let pending: LogEntry[] = [];
  let unrecorded: readonly TrainerEvent[] = [];
  return {
    /** Entries that are not stored yet. */
    pending: (): readonly LogEntry[] => pending,
    /** The last step and the end of the run, until a transaction has updated the run's record with them. */
    unrecorded: () => unrecorded,
    /** Length of the log, pending entries included. */
    length: () => next,
    /** Length of the stored log at the last read or write of this tab. */
    stored: () => stored,
    isUnanswered: (length: number) => unanswered.has(length),
    append(events: readonly TrainerEvent[]): void {
      for (const event of events) {
        if (event.type === 'step') unrecorded = [event];
        else if (endingTypes.includes(event.type)) unrecorded = [...unrecorded, event];
        const entry = entryOf(event);
        if (entry === null) continue;
        const [kind, step, value] = entry;
        pending.push({ key: [kind, runId, next, step], value });
        next += 1;
      }
    },
    /** Updates the state after a transaction that stored these entries and a record with these events and this length. */
    committed(entries: readonly LogEntry[], recorded: readonly TrainerEvent[], length: number): void {
      unrecorded = unrecorded.filter((event) => !recorded.includes(event));
      const storedEntries = new Set(entries);
      pending = pending.filter((entry) => !storedEntries.has(entry));
      stored = length;
      unanswered.clear();
    },
    /** Updates the state after a failed transaction: drops the oldest rollouts beyond the limit. */
    failed({ code }: Partial<MarbleError>, length: number): void {
      if (code === 'store/unavailable') unanswered.add(length);
      const rollouts = pending.filter(({ key }) => key[0] === 'rollouts');
      const dropped = new Set(rollouts.slice(0, -pendingRollouts));
      pending = pending.filter((entry) => !dropped.has(entry));
    },
  };
}
