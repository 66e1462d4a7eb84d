/**
 * One trainer for all tabs of a browser, and a second lock that names the run it trains: both end with their tab, however
 * that ends. Where the browser has no locks two tabs can go on with one run: the store then takes what the later one
 * writes, and refuses the other (`store/gone-on-elsewhere`).
 */
import { MarbleError } from '../base/error';

const trainerName = 'marble-trainer';
const runPrefix = 'marble-run/';

export interface TrainerLock {
  /** Resolves when another trainer can have it. */
  release(): Promise<void>;
}

/** Null over plain http and in browsers before 2022: tabs are not kept apart there, but each run trains all the same. */
function webLocks(): LockManager | null {
  return (navigator as { locks?: LockManager }).locks ?? null;
}

/** @returns the lock, or null when somebody holds it */
function acquire(name: string, mode: LockMode = 'exclusive'): Promise<TrainerLock | null> {
  const locks = webLocks();
  if (locks === null) return Promise.resolve({ release: () => Promise.resolve() });
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { ifAvailable: true, mode }, (lock) => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return new Promise<void>((letGo) => {
        const release = async (): Promise<void> => {
          letGo();
          await held;
        };
        resolve({ release });
      });
    });
    held.catch(reject);
  });
}

/** @returns the lock, or null when another tab (or this one) holds it */
export const acquireTrainerLock = (): Promise<TrainerLock | null> => acquire(trainerName);

function runInUse(): MarbleError {
  return new MarbleError(
    'store/run-in-use',
    'This run is training, here or in another tab.',
    'Stop it first.',
  );
}

/**
 * Tells every tab which run it is that trains, and keeps it from being deleted.
 *
 * @throws MarbleError `store/run-in-use`
 */
export async function acquireRunLock(runId: string): Promise<TrainerLock> {
  const lock = await acquire(runPrefix + runId);
  if (lock === null) throw runInUse();
  return lock;
}

/**
 * Does something to a run that nobody trains, and that nobody begins to train meanwhile.
 *
 * @throws MarbleError `store/run-in-use`, and what `work` throws
 */
export async function whileIdle<T>(runId: string, work: () => Promise<T>): Promise<T> {
  // Without Web Locks the store alone keeps two tabs apart: a run that was deleted is written to no more.
  if (webLocks() === null) return work();
  // Shared, by which it is told from the lock of the one who trains.
  const lock = await acquire(runPrefix + runId, 'shared');
  if (lock === null) throw runInUse();
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

export interface TrainerAtWork {
  isBusy: boolean;
  /** The run that trains; null where none does, or where it has not begun yet. */
  runId: string | null;
}

/** What is being trained in the tabs of this browser. */
export async function trainerAtWork(): Promise<TrainerAtWork> {
  const { held = [] } = (await webLocks()?.query()) ?? {};
  const names = held.flatMap(({ name, mode }) => (mode === 'exclusive' ? [name ?? ''] : []));
  const run = names.find((name) => name.startsWith(runPrefix));
  const isBusy = names.includes(trainerName);
  return { isBusy, runId: isBusy && run !== undefined ? run.slice(runPrefix.length) : null };
}
