/**
 * Web Locks for training: one lock allows one trainer in all tabs of a deployment, a second lock names the run in training. The
 * browser releases both when the tab ends, also after a crash. In browsers without locks two tabs can resume the same run.
 * The store then accepts the writes of the later tab and rejects those of the other (`store/gone-on-elsewhere`).
 */
import { ofDeployment } from '../base/deployment';
import { MarbleError } from '../base/error';

const trainerName = (): string => ofDeployment('marble-trainer');
const runPrefix = (): string => `${ofDeployment('marble-run')}/`;

export interface TrainerLock {
  /** Releases the lock and resolves when another trainer can acquire it. */
  release(): Promise<void>;
}

/** Web Locks; null over plain http and in browsers before 2022, where runs train without locks. */
function webLocks(): LockManager | null {
  return (globalThis.navigator as { locks?: LockManager } | undefined)?.locks ?? null;
}

/** @returns the lock, or null if it is held */
function acquire(name: string): Promise<TrainerLock | null> {
  const locks = webLocks();
  if (locks === null) return Promise.resolve({ release: () => Promise.resolve() });
  return new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return new Promise<void>((letGo) => {
        const release = async (): Promise<void> => {
          letGo();
          await request;
        };
        resolve({ release });
      });
    });
    request.catch(reject);
  });
}

/** @returns the lock, or null if this or another tab holds it */
export const acquireTrainerLock = (): Promise<TrainerLock | null> => acquire(trainerName());

/**
 * Holds a run for all tabs, which prevents its training, deletion and import elsewhere.
 *
 * @throws MarbleError `store/run-in-use`
 */
export async function acquireRunLock(runId: string): Promise<TrainerLock> {
  const lock = await acquire(runPrefix() + runId);
  if (lock !== null) return lock;
  throw new MarbleError(
    'store/run-in-use',
    'This run is training, here or in another tab.',
    'Stop the run first.',
  );
}

/**
 * Executes `work` while no tab trains or imports the run. Without Web Locks the store protects the data: it rejects writes
 * to a deleted run.
 *
 * @throws MarbleError `store/run-in-use`, and errors of `work`
 */
export async function whileIdle<T>(runId: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquireRunLock(runId);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** IDs of the runs that tabs of this browser hold while one trains; a tab may train several at once. */
export async function runsInTraining(): Promise<string[]> {
  const { held = [] } = (await webLocks()?.query()) ?? {};
  const names = held.map(({ name }) => name ?? '');
  if (!names.includes(trainerName())) return [];
  return names.flatMap((name) => (name.startsWith(runPrefix()) ? name.slice(runPrefix().length) : []));
}
