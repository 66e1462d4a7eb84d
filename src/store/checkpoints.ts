/**
 * Checkpoints of a run: two alternating generations. A save overwrites the older one and leaves the last acknowledged one
 * untouched. A small head, stored apart from the weights, identifies the
 * newest generation without reading any weights.
 */
import type { UseStore } from 'idb-keyval';
import { sha256 } from '../base/digest';
import { MarbleError } from '../base/error';
import { keptQuestionsApart, withoutDeleted } from '../run/config/deleted-fields';
import type { Checkpoint } from '../run/record/events';
import { type Slot, readOne } from './keys';

interface CheckpointHead {
  /** Increases with every save of the run, unlike the step, which decreases after a fallback. */
  serial: number;
  step: number;
  /** Length of the run's log at this checkpoint. */
  logLength: number;
  /** SHA-256 of the checkpoint (`recordHash`). */
  hash: string;
}

const generations: readonly Slot[] = ['even', 'odd'];

type StoredHead = readonly [slot: Slot, head: CheckpointHead];

async function readHeads(store: IDBObjectStore, runId: string): Promise<StoredHead[]> {
  const heads = await Promise.all(
    generations.map(
      async (slot) => [slot, await readOne<CheckpointHead>(store, ['checkpoint', runId, slot])] as const,
    ),
  );
  return heads
    .filter((entry): entry is StoredHead => entry[1] !== undefined)
    .sort(([, a], [, b]) => b.serial - a.serial);
}

export interface PreparedCheckpoint {
  checkpoint: Checkpoint;
  hash: string;
}

/** Hashes a checkpoint before the transaction that stores it: a transaction without pending requests ends. */
export async function prepareCheckpoint(checkpoint: Checkpoint): Promise<PreparedCheckpoint> {
  return { checkpoint, hash: await recordHash(checkpoint) };
}

/** Overwrites the older generation within the caller's transaction. */
export async function putCheckpoint(
  store: IDBObjectStore,
  runId: string,
  prepared: PreparedCheckpoint,
  logLength: number,
): Promise<void> {
  const { checkpoint, hash } = prepared;
  const heads = await readHeads(store, runId);
  const unused = generations.find((slot) => heads.every(([usedSlot]) => usedSlot !== slot));
  const head: CheckpointHead = {
    serial: 1 + (heads[0]?.[1].serial ?? 0),
    step: checkpoint.step,
    logLength,
    hash,
  };
  const slot = unused ?? heads[1][0];
  store.put(head, ['checkpoint', runId, slot]);
  store.put(checkpoint, ['weights', runId, slot]);
}

/** Reads head and weights in one transaction: between two, another tab could overwrite both generations. */
async function readSlot(
  use: UseStore,
  runId: string,
  slot: Slot,
): Promise<{ head: CheckpointHead; checkpoint: Checkpoint; isOfOthers: boolean } | null> {
  const [head, checkpoint] = await use('readonly', (store) =>
    Promise.all([
      readOne<CheckpointHead>(store, ['checkpoint', runId, slot]),
      readOne<Checkpoint>(store, ['weights', runId, slot]),
    ]),
  );
  if (head === undefined || checkpoint === undefined) return null;
  if ((await recordHash(checkpoint)) !== head.hash) return null;
  const isOfOthers = keptQuestionsApart(checkpoint.config);
  return { head, checkpoint: withoutDeleted(checkpoint, 'config'), isOfOthers };
}

export interface LoadedCheckpoint {
  checkpoint: Checkpoint;
  logLength: number;
  /** Slot of the newest generation if that is damaged and this is the previous one. */
  damaged: Slot | null;
  /** True if this version would go on with other questions: see `keptQuestionsApart`. */
  isOfOthers: boolean;
}

/**
 * Loads the newest generation with a valid hash.
 *
 * @returns null if the run has no checkpoint
 * @throws MarbleError `store/damaged-checkpoint` if no generation has a valid hash
 */
export async function findCheckpoint(use: UseStore, runId: string): Promise<LoadedCheckpoint | null> {
  const heads = await use('readonly', (store) => readHeads(store, runId));
  for (const [age, [slot]] of heads.entries()) {
    const generation = await readSlot(use, runId, slot);
    if (generation === null) continue;
    const { checkpoint, head, isOfOthers } = generation;
    const damaged = age > 0 ? heads[0][0] : null;
    return { checkpoint, logLength: head.logLength, damaged, isOfOthers };
  }
  if (heads.length === 0) return null;
  throw new MarbleError(
    'store/damaged-checkpoint',
    `No checkpoint of this run can be read: the checkpoint of step ${heads[0][1].step} does not match its hash.`,
    'Start the run again from its configuration; its seed gives the same steps.',
  );
}

/** For `JSON.stringify`: a copy of an object whose names are in alphabetical order. Returns other values unchanged. */
function withSortedNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * SHA-256 of a record with typed arrays. The hashed text is the record's JSON with sorted names and each typed array as its
 * type and length, followed by the SHA-256 of each array, which is hashed in place, without a copy or a conversion to text.
 *
 * @returns 64 hexadecimal digits, equal for a record and its structured clone
 */
export async function recordHash(record: unknown): Promise<string> {
  const arrays: ArrayBufferView<ArrayBuffer>[] = [];
  const text = JSON.stringify(record, (name, value: unknown) => {
    if (ArrayBuffer.isView(value)) {
      arrays.push(value as ArrayBufferView<ArrayBuffer>);
      return `${value.constructor.name} of ${value.byteLength} bytes`;
    }
    return withSortedNames(name, value);
  });
  const hashes = await Promise.all(arrays.map(sha256));
  return sha256(new TextEncoder().encode([text, ...hashes].join('\n')));
}
