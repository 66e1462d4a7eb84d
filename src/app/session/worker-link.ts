/** Connection to the trainer's worker. The first question opens it, and the next question after its end opens it again. */
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
  /** Receives events in the order in which the worker sent them, at the pace of rendering. */
  onEvents: (events: readonly WorkerEvent[]) => void;
  drawn: () => Promise<void>;
  /** Called when a question fails or the worker ends unexpectedly. */
  onError: (thrown: unknown) => void;
  /** Called when the worker ends unexpectedly, before `onError`. */
  onEnd: () => void;
}

/** Timeout in milliseconds. A worker that does not answer in time is closed, even if it is busy. */
export const PATIENCE = 20_000;
/**
 * Timeout in milliseconds while the worker reads untrusted files. A large file delays it, and a hostile one might never
 * end.
 */
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
  /** Pending opening, shared by all callers. Their questions follow the messages that set up the worker. */
  let opening: Promise<TrainerPort> | null = null;
  /** Files chosen by the visitor, passed again to each new worker. */
  let ownFiles: Record<string, File> | null = null;
  let ownAdapter: Record<string, File> | null = null;
  /** The worker's role in the trainer's lock, and whether it got the role. */
  let lock: { role: LockRole; isHeld: Promise<boolean> } = { role: 'alone', isHeld: Promise.resolve(true) };

  /** Asks the worker. On an error it calls `onError` and returns null. */
  async function attempt<T>(question: (service: TrainerService) => Promise<T>): Promise<T | null> {
    try {
      return await ask(await opened(), question);
    } catch (thrown) {
      // Ignores the end of a worker that the page has closed.
      if (!(thrown instanceof MarbleError && thrown.code === 'app/worker-closed')) onError(thrown);
      return null;
    }
  }

  /** Sends a request without an answer. False on an error, which the screen shows. */
  const order = async (question: Order): Promise<boolean> =>
    (await attempt(async (service) => {
      await question(service);
      return true;
    })) === true;

  /**
   * Like `attempt`, for reading untrusted files, which may block their reader. Closes a worker that does not respond for
   * `PATIENCE_WHILE_READING`, with the error `app/worker-silent`.
   */
  async function attemptToRead<T>(question: (service: TrainerService) => Promise<T>): Promise<T | null> {
    let isOver = false;
    const answer = attempt(question).finally(() => (isOver = true));
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const watched = port;
        const isAlive = await Promise.race([
          watched?.service.isAlive().catch(() => true) ?? true, // a failure is an answer
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

  /** Closes a worker that has failed or does not respond, although it may still be running. */
  function giveUp(old: TrainerPort, thrown: unknown): void {
    if (port !== old) return;
    close(old);
    onEnd();
    onError(thrown);
  }

  /**
   * Sends a request with a timeout. A worker that does not answer in time is closed.
   *
   * @returns whether it answered
   * @throws the errors of the worker
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
    /** Closes the worker, which releases its lock and its GPU. */
    close(): void {
      if (port !== null) close(port);
    },
    /**
     * Sets the role in the trainer's lock, also for workers opened later. False if the lock is not available; the screen
     * shows the error.
     */
    async lockAs(role: LockRole): Promise<boolean> {
      if (role === lock.role) return lock.isHeld;
      const isOpen = port !== null; // a worker opened by this question gets the role while it opens
      const isHeld = order((service) => (isOpen ? service.lockAs(role) : Promise.resolve()));
      lock = { role, isHeld };
      if (await isHeld) return true;
      lock = { role: 'alone', isHeld: Promise.resolve(true) }; // a later attempt asks again
      return false;
    },
    /** Uses the visitor's files as the model of runs whose model is `files`. */
    chooseFiles(files: Record<string, File>): Promise<boolean> {
      ownFiles = files;
      return order((service) => service.chooseFiles(files));
    },
    /** Loads the visitor's own adapter. Null if it is invalid; the screen shows the error. */
    chooseAdapter(files: Record<string, File>): Promise<{ rank: number; alpha: number } | null> {
      ownAdapter = files;
      return attemptToRead((service) => service.chooseAdapter(files));
    },
  };
}

function silence(milliseconds = PATIENCE): Promise<null> {
  return new Promise((resolve) => void afterAwake(milliseconds, () => resolve(null)));
}
