/** The page's line to the trainer's worker: opened by the first question, and opened anew after the worker has ended. */
import { signal, type Signal } from '@preact/signals';
import { proxy } from 'comlink';
import { MarbleError } from '../../error';
import type { Capabilities, TrainerService, WorkerEvent } from '../../../workers/protocol';
import type { OpenPort, TrainerPort } from '../trainer-port';
import { ask } from '../worker-port';

/** Asks the worker; an error becomes the screen, and the answer is null. */
export type Attempt = <T>(question: (service: TrainerService) => Promise<T>) => Promise<T | null>;

export interface WorkerLink {
  readonly capabilities: Signal<Capabilities | null>;
  attempt: Attempt;
  /** Asks for something that has no answer; false where it failed, and the screen says why. */
  order: (question: (service: TrainerService) => Promise<void>) => Promise<boolean>;
  /** Ends the worker, whose questions then have no answer. */
  close: () => void;
  chooseFiles: (files: Record<string, File>) => Promise<boolean>;
  chooseAdapter: (files: Record<string, File>) => Promise<{ rank: number; alpha: number } | null>;
}

export interface LinkOptions {
  openPort: OpenPort;
  /** The page's own address, from which the worker fetches. */
  base: string;
  onEvent: (event: WorkerEvent) => void;
  /** A question failed, or the worker ended of itself. */
  onError: (thrown: unknown) => void;
  /** The worker ended of itself, before its error is told. */
  onEnd: () => void;
}

export function createWorkerLink({ openPort, base, onEvent, onError, onEnd }: LinkOptions): WorkerLink {
  const capabilities = signal<Capabilities | null>(null);
  let port: TrainerPort | null = null;
  /** Chosen by the visitor; a new worker is given them again. */
  let ownFiles: Record<string, File> | null = null;
  let ownAdapter: Record<string, File> | null = null;

  const attempt: Attempt = async (question) => {
    try {
      return await ask(await opened(), question);
    } catch (thrown) {
      // A worker that the page itself has closed owes no answer.
      if (!(thrown instanceof MarbleError && thrown.code === 'app/worker-closed')) onError(thrown);
      return null;
    }
  };

  const order: WorkerLink['order'] = async (question) =>
    (await attempt(async (service) => {
      await question(service);
      return true;
    })) === true;

  async function opened(): Promise<TrainerPort> {
    if (port !== null) return port;
    const fresh = openPort();
    port = fresh;
    fresh.ended.catch((thrown: unknown) => {
      if (port !== fresh) return;
      port = null;
      onEnd();
      onError(thrown);
    });
    const receive = (event: WorkerEvent): void => {
      if (port === fresh) onEvent(event);
    };
    capabilities.value = await ask(fresh, (service) => service.connect(base, proxy(receive)));
    const files = ownFiles;
    if (files !== null) await ask(fresh, (service) => service.chooseFiles(files));
    const adapter = ownAdapter;
    if (adapter !== null) await ask(fresh, (service) => service.chooseAdapter(adapter));
    return fresh;
  }

  return {
    capabilities,
    attempt,
    order,
    close() {
      const closed = port;
      port = null;
      closed?.close();
    },
    chooseFiles(files) {
      ownFiles = files;
      return order((service) => service.chooseFiles(files));
    },
    chooseAdapter(files) {
      ownAdapter = files;
      return attempt((service) => service.chooseAdapter(files));
    },
  };
}
