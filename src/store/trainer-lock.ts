/** One trainer for all tabs of a browser: the lock ends with its tab, however that ends. */
import { MarbleError } from '../error';

const lockName = 'marble-trainer';

export interface TrainerLock {
  /** Resolves when another trainer can have it. */
  release(): Promise<void>;
}

function webLocks(): LockManager {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks !== undefined) return locks;
  throw new MarbleError(
    'store/no-locks',
    'This page cannot make sure that it trains in one tab only: the browser offers no Web Locks here.',
    'Open the page over https or from localhost, in a browser of 2022 or later.',
  );
}

/**
 * @returns the lock, or null when another tab (or this one) holds it
 * @throws MarbleError `store/no-locks`
 */
export function acquireTrainerLock(): Promise<TrainerLock | null> {
  const locks = webLocks();
  return new Promise((resolve, reject) => {
    const held = locks.request(lockName, { ifAvailable: true }, (lock) => {
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

/** @returns whether some tab of this browser is training now */
export async function trainerIsBusy(): Promise<boolean> {
  const { held } = await webLocks().query();
  return (held ?? []).some((lock) => lock.name === lockName);
}
