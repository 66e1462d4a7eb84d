/**
 * Checkpoints: two generations that take turns, so that the last one acknowledged is never touched while the next is
 * written, and the best by evaluation beside them. A head of a few numbers stands apart from the weights: which
 * generation is the newest is known without reading either.
 */
import type { UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import type { Checkpoint } from '../run/record/events';
import { fingerprint } from './fingerprint';
import { type Slot, readOne } from './keys';

interface CheckpointHead {
  /** Rises with every save of the run; after a fall-back the step does not. */
  serial: number;
  step: number;
  /** Length of the run's log at this checkpoint. */
  logLength: number;
  /** SHA-256 of the checkpoint (`fingerprint`). */
  hash: string;
  savedAt: number;
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

/** A view into a larger buffer would be stored with all of that buffer. */
function withOwnBuffers(checkpoint: Checkpoint): Checkpoint {
  const own = (array: Float32Array) => (array.byteLength < array.buffer.byteLength ? array.slice() : array);
  const { policy } = checkpoint;
  return {
    ...checkpoint,
    policy: {
      ...policy,
      parameters: own(policy.parameters),
      moment1: own(policy.moment1),
      moment2: own(policy.moment2),
      reference: policy.reference && own(policy.reference),
    },
  };
}

export interface PreparedCheckpoint {
  checkpoint: Checkpoint;
  hash: string;
  best: boolean;
}

/** Hashing waits, and a transaction ends when nothing is asked of it: so this comes before. */
export async function prepareCheckpoint(checkpoint: Checkpoint, best: boolean): Promise<PreparedCheckpoint> {
  const own = withOwnBuffers(checkpoint);
  return { checkpoint: own, hash: await fingerprint(own), best };
}

/** Writes over the older generation, inside the caller's transaction. */
export async function putCheckpoint(
  store: IDBObjectStore,
  runId: string,
  prepared: PreparedCheckpoint,
  logLength: number,
): Promise<void> {
  const { checkpoint, hash, best } = prepared;
  const heads = await readHeads(store, runId);
  const unused = generations.find((slot) => heads.every(([taken]) => taken !== slot));
  const head: CheckpointHead = {
    serial: 1 + (heads[0]?.[1].serial ?? 0),
    step: checkpoint.step,
    logLength,
    hash,
    savedAt: Date.now(),
  };
  for (const slot of [unused ?? heads[1][0], ...(best ? ['best' as const] : [])]) {
    store.put(head, ['checkpoint', runId, slot]);
    store.put(checkpoint, ['weights', runId, slot]);
  }
}

/** Head and weights in one transaction: between two, another tab could save both generations anew. */
async function readSlot(
  use: UseStore,
  runId: string,
  slot: Slot,
): Promise<{ head: CheckpointHead; checkpoint: Checkpoint } | null> {
  const [head, checkpoint] = await use('readonly', (store) =>
    Promise.all([
      readOne<CheckpointHead>(store, ['checkpoint', runId, slot]),
      readOne<Checkpoint>(store, ['weights', runId, slot]),
    ]),
  );
  if (head === undefined || checkpoint === undefined) return null;
  return (await fingerprint(checkpoint)) === head.hash ? { head, checkpoint } : null;
}

export interface LoadedCheckpoint {
  checkpoint: Checkpoint;
  logLength: number;
  /** Whether the newest generation did not hold and this is the one before; which one that is. */
  fellBack: boolean;
  damaged: Slot | null;
}

/**
 * The newest generation whose hash holds.
 *
 * @returns null where the run has none
 * @throws MarbleError `store/damaged-checkpoint` where no generation holds
 */
export async function findCheckpoint(use: UseStore, runId: string): Promise<LoadedCheckpoint | null> {
  const heads = await use('readonly', (store) => readHeads(store, runId));
  for (const [age, [slot]] of heads.entries()) {
    const found = await readSlot(use, runId, slot);
    if (found === null) continue;
    const damaged = age > 0 ? heads[0][0] : null;
    const { checkpoint, head } = found;
    return { checkpoint, fellBack: damaged !== null, logLength: head.logLength, damaged };
  }
  if (heads.length === 0) return null;
  throw new MarbleError(
    'store/damaged-checkpoint',
    `No checkpoint of this run can be read: the hash of step ${heads[0][1].step} does not hold.`,
    'Start the run again from its configuration; its seed gives the same steps.',
  );
}

/** @returns the checkpoint with the best evaluation, or null where there is none or its hash does not hold */
export async function findBestCheckpoint(use: UseStore, runId: string): Promise<Checkpoint | null> {
  return (await readSlot(use, runId, 'best'))?.checkpoint ?? null;
}
