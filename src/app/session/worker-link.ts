/** The page's line to the trainer's worker: opened by the first question, and opened anew after the worker has ended. */
import { signal } from '@preact/signals';
import { proxy } from 'comlink';
import { afterAwake } from '../../base/waits';
import { MarbleError } from '../../base/error';
import type { Capabilities, LockRole, TrainerService, WorkerEvent } from '../../../workers/protocol';
import { ask, type OpenPort, type TrainerPort } from './worker-port';
import { paced } from './paced';

export type WorkerLink = ReturnType<typeof createWorkerLink>;

type Order = (service: TrainerService) => Promise<void>;

export interface LinkOptions {
  openPort: OpenPort;
  base: string;
  /** In the order in which the worker sent them, at the pace at which the page draws. */
  onEvents: (events: readonly WorkerEvent[]) => void;
  drawn: () => Promise<void>;
  /** A question failed, or the worker ended of itself. */
  onError: (thrown: unknown) => void;
  /** The worker ended of itself, before its error is told. */
  onEnd: () => void;
}

/** Milliseconds that a worker is waited for: what does not answer by then is closed, whatever it is busy with. */
export const PATIENCE = 20_000;
/** Milliseconds of its silence while it reads files from anybody: a large one holds it up, and a hostile one might never end. */
const PATIENCE_WHILE_READING = 60_000;

export function silentWorker(milliseconds: number): MarbleError {
  return new MarbleError(
    'app/worker-silent',
    `The trainer did not answer for ${milliseconds / 1000} seconds and was closed.`,
    'What it was busy with may never end, as with a damaged or hostile model. A kept run can be resumed.',
  );
}

export function createWorkerLink({ openPort, base, onEvents, drawn, onError, onEnd }: LinkOptions) {
  const capabilities = signal<Capabilities | null>(null);
  let port: TrainerPort | null = null;
  /** Whoever asks a worker that is being opened asks it after all that it must know first. */
  let opening: Promise<TrainerPort> | null = null;
  /** Chosen by the visitor; a new worker is given them again. */
  let ownFiles: Record<string, File> | null = null;
  let ownAdapter: Record<string, File> | null = null;
  /** How the worker stands to the trainer's lock, and whether it may. */
  let lock: { role: LockRole; isHeld: Promise<boolean> } = { role: 'alone', isHeld: Promise.resolve(true) };

  /** Asks the worker; an error becomes the screen, and the answer is null. */
  async function attempt<T>(question: (service: TrainerService) => Promise<T>): Promise<T | null> {
    try {
      return await ask(await opened(), question);
    } catch (thrown) {
      // A worker that the page itself has closed owes no answer.
      if (!(thrown instanceof MarbleError && thrown.code === 'app/worker-closed')) onError(thrown);
      return null;
    }
  }

  /** Asks for something that has no answer; false where it failed, and the screen says why. */
  const order = async (question: Order): Promise<boolean> =>
    (await attempt(async (service) => {
      await question(service);
      return true;
    })) === true;

  /**
   * As `attempt`, for what reads files from anybody, which may be made to hold up whoever reads them: a worker that answers
   * nothing else for `PATIENCE_WHILE_READING` meanwhile is closed, with the error `app/worker-silent`.
   */
  async function attemptToRead<T>(question: (service: TrainerService) => Promise<T>): Promise<T | null> {
    let isOver = false;
    const answer = attempt(question).finally(() => (isOver = true));
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const watched = port;
        const isAlive = await Promise.race([
          watched?.service.isAlive().catch(() => true) ?? true, // what fails is no silence
          silence(PATIENCE_WHILE_READING).then(() => false),
        ]);
        if (isAlive) await silence();
        else if (!isOver && watched !== null) giveUp(watched, silentWorker(PATIENCE_WHILE_READING));
      }
    };
    void watch();
    return answer;
  }

  function opened(): Promise<TrainerPort> {
    if (opening !== null) return opening;
    if (port !== null) return Promise.resolve(port);
    opening = open().finally(() => (opening = null));
    return opening;
  }

  async function open(): Promise<TrainerPort> {
    const fresh = openPort();
    port = fresh;
    fresh.ended.catch((thrown: unknown) => giveUp(fresh, thrown));
    const receive = paced((events) => {
      if (port === fresh) onEvents(events);
    }, drawn);
    capabilities.value = await ask(fresh, (service) => service.connect(base, proxy(receive)));
    const { role } = lock;
    if (role !== 'alone') await ask(fresh, (service) => service.lockAs(role));
    const files = ownFiles;
    if (files !== null) await ask(fresh, (service) => service.chooseFiles(files));
    const adapter = ownAdapter;
    if (adapter !== null) await ask(fresh, (service) => service.chooseAdapter(adapter));
    return fresh;
  }

  function close(old: TrainerPort): void {
    if (port === old) port = null;
    old.close();
  }

  /** A worker that has failed, or is silent, is of no use any more, though it may go on. */
  function giveUp(old: TrainerPort, thrown: unknown): void {
    if (port !== old) return;
    close(old);
    onEnd();
    onError(thrown);
  }

  /**
   * Gives an order that must not wait for ever: a worker that does not answer in time is closed.
   *
   * @returns whether it answered
   * @throws what the worker throws
   */
  async function orderInTime(question: Order): Promise<boolean> {
    const answered = opened()
      .then((asked) => ask(asked, question))
      .then(() => true);
    if ((await Promise.race([answered, silence()])) === true) return true;
    if (port !== null) close(port);
    return false;
  }

  return {
    capabilities,
    attempt,
    attemptToRead,
    order,
    orderInTime,
    /** Closes the worker, and with it the lock and the GPU that it holds. */
    close(): void {
      if (port !== null) close(port);
    },
    /** False where the lock cannot be had, and the screen says why; a worker that is opened later stands as this one. */
    async lockAs(role: LockRole): Promise<boolean> {
      if (role === lock.role) return lock.isHeld;
      const isOpen = port !== null; // one that is opened now is told then
      const isHeld = order((service) => (isOpen ? service.lockAs(role) : Promise.resolve()));
      lock = { role, isHeld };
      if (await isHeld) return true;
      lock = { role: 'alone', isHeld: Promise.resolve(true) }; // who asks again is told again
      return false;
    },
    /** Takes the visitor's own files as the model of runs whose model is `files`. */
    chooseFiles(files: Record<string, File>): Promise<boolean> {
      ownFiles = files;
      return order((service) => service.chooseFiles(files));
    },
    /** Takes the visitor's own adapter; null where it is none, and the screen says why. */
    chooseAdapter(files: Record<string, File>): Promise<{ rank: number; alpha: number } | null> {
      ownAdapter = files;
      return attemptToRead((service) => service.chooseAdapter(files));
    },
  };
}

function silence(milliseconds = PATIENCE): Promise<null> {
  return new Promise((resolve) => void afterAwake(milliseconds, () => resolve(null)));
}
