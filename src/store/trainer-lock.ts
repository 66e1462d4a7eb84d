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
function acquire(name: string, mode: LockMode = 'exclusive'): Promise<TrainerLock | null> {
  const locks = webLocks();
  if (locks === null) return Promise.resolve({ release: () => Promise.resolve() });
  return new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true, mode }, (lock) => {
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

function runInUse(): MarbleError {
  return new MarbleError(
    'store/run-in-use',
    'This run is training, here or in another tab.',
    'Stop the run first.',
  );
}

/**
 * Marks a run as in training for all tabs, which prevents its deletion.
 *
 * @throws MarbleError `store/run-in-use`
 */
export async function acquireRunLock(runId: string): Promise<TrainerLock> {
  const lock = await acquire(runPrefix() + runId);
  if (lock === null) throw runInUse();
  return lock;
}

/**
 * Executes `work` while no tab trains the run and prevents the start of training in the meantime.
 *
 * @throws MarbleError `store/run-in-use`, and errors of `work`
 */
export async function whileIdle<T>(runId: string, work: () => Promise<T>): Promise<T> {
  // Without Web Locks the store protects the data: it rejects writes to a deleted run.
  if (webLocks() === null) return work();
  // The mode `shared` distinguishes this lock from that of a trainer.
  const lock = await acquire(runPrefix() + runId, 'shared');
  if (lock === null) throw runInUse();
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Executes `work` unless a tab trains or imports this run now. */
export async function unlessInUse(runId: string, work: () => Promise<void>): Promise<void> {
  const lock = await acquire(runPrefix() + runId);
  if (lock === null) return;
  try {
    await work();
  } finally {
    await lock.release();
  }
}

/** IDs of the runs in training among the tabs of this browser; a tab may train several at once. */
export async function runsInTraining(): Promise<string[]> {
  const { held = [] } = (await webLocks()?.query()) ?? {};
  const names = held.flatMap(({ name, mode }) => (mode === 'exclusive' ? [name ?? ''] : []));
  if (!names.includes(trainerName())) return [];
  return names.flatMap((name) => (name.startsWith(runPrefix()) ? name.slice(runPrefix().length) : []));
}
