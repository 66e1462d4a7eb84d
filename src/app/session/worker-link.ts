/** Connection to the trainer's worker. The first question opens it, and the next question after its end opens it again. */
import { signal } from '@preact/signals';
import { proxy } from 'comlink';
import { afterAwake } from '../../base/waits';
import { MarbleError } from '../../base/error';
import type { Capabilities, LockRole, TrainerService, WorkerEvent } from '../../../workers/protocol';
import { ask, type OpenPort, type TrainerPort } from './worker-port';
import { paced } from './paced';

export interface LinkOptions {
  openPort: OpenPort;
  base: string;
  /** Files that the visitor has chosen, for each new worker; null if none. */
  chosenFiles: () => Record<string, File> | null;
  /** Resolves after the page has drawn the last events. */
  drawn: () => Promise<void>;
  /** Receives the error of a question. */
  tell: (thrown: unknown) => void;
}

/** Timeout in milliseconds. A worker that does not answer in time is closed, even if it is busy. */
export const PATIENCE = 20_000;
/**
 * Timeout in milliseconds while the worker reads untrusted files. A large file delays it, and a hostile one might never
 * end.
 */
const PATIENCE_WHILE_READING = 60_000;

function silentWorker(milliseconds: number): MarbleError {
  return new MarbleError(
    'app/worker-silent',
    `The trainer did not answer for ${milliseconds / 1000} seconds and was closed.`,
    'Its work may never end, as with a damaged or hostile model. A kept run can be resumed.',
  );
}

/**
 * @param onEvents - receives events in the order in which the worker sent them, at the pace of rendering
 * @param onEnd - called when the worker has failed, or is closed because it does not respond
 */
export function createWorkerLink(
  { openPort, base, chosenFiles, drawn, tell }: LinkOptions,
  onEvents: (events: readonly WorkerEvent[]) => void,
  onEnd: (thrown: unknown) => void,
) {
  const capabilities = signal<Capabilities | null>(null);
  let port: TrainerPort | null = null;
  /** Pending opening, shared by all callers. Their questions follow the messages that set up the worker. */
  let opening: Promise<TrainerPort> | null = null;
  /** The worker's role in the trainer's lock, and whether it got the role. */
  let role: LockRole = 'alone';
  let isHeld = Promise.resolve(true);

  /** Asks the worker. Null on an error, which the screen shows. */
  async function attempt<T>(question: (service: TrainerService) => Promise<T>): Promise<T | null> {
    try {
      return await ask(await opened(), question);
    } catch (thrown) {
      tell(thrown);
      return null;
    }
  }

  /**
   * Like `attempt`, while untrusted files may block the worker. Closes a worker that does not respond for this many
   * milliseconds, with the error `app/worker-silent`.
   */
  async function attemptInTime<T>(
    question: (service: TrainerService) => Promise<T>,
    patience = PATIENCE_WHILE_READING,
  ): Promise<T | null> {
    let isOver = false;
    const answer = attempt(question).finally(() => (isOver = true));
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const watched = port;
        const isAlive = await Promise.race([
          watched?.service.isAlive() ?? true,
          silence(patience).then(() => false),
        ]);
        if (isAlive) await silence(PATIENCE);
        else if (!isOver && watched !== null) giveUp(watched, silentWorker(patience));
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
    // Before the lock, which another tab may hold.
    const files = chosenFiles();
    if (files !== null) await ask(fresh, (service) => service.chooseFiles(files)).catch(tell);
    if (role !== 'alone') await ask(fresh, (service) => service.lockAs(role));
    return fresh;
  }

  /** Closes a worker that has failed or does not respond, although it may still be running. */
  function giveUp(old: TrainerPort, thrown: unknown): void {
    if (port !== old) return;
    close();
    onEnd(thrown);
  }

  /** Closes the worker, which releases its lock and its GPU. */
  function close(): void {
    const old = port;
    port = null;
    old?.close();
  }

  return {
    capabilities,
    attempt,
    attemptInTime,
    close,
    /**
     * Sets the role in the trainer's lock, also for workers opened later. False if the lock is not available; the screen
     * shows the error.
     */
    lockAs(next: LockRole): Promise<boolean> {
      if (next === role) return isHeld;
      const isOpen = port !== null; // a worker opened by this question gets the role while it opens
      role = next;
      isHeld = attempt((service) => (isOpen ? service.lockAs(next) : Promise.resolve())).then((answer) => {
        if (answer === null) role = 'alone'; // a later attempt asks again
        return answer !== null;
      });
      return isHeld;
    },
  };
}

function silence(milliseconds: number): Promise<null> {
  return new Promise((resolve) => void afterAwake(milliseconds, () => resolve(null)));
}
