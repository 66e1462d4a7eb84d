/** The lock that one trainer of all tabs holds, or the refusal that the page knows. */
import { MarbleError } from '../src/error';
import { acquireTrainerLock, type TrainerLock } from '../src/store/trainer-lock';

/** @throws MarbleError `store/other-tab` */
export async function trainerLock(): Promise<TrainerLock> {
  const lock = await acquireTrainerLock();
  if (lock !== null) return lock;
  throw new MarbleError(
    'store/other-tab',
    'Another tab of this browser is training.',
    'Here you can watch what it keeps. Stop it there, or close that tab, to train in this one.',
  );
}
