/** Waits outside of a run, described in words, with a way to cancel them. */
import { signal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import type { TrainerService } from '../../../workers/protocol';
import type { WorkerLink } from './worker-link';

export interface Wait {
  words: string;
  cancel: () => void;
}

export function createWaiting({ attempt }: Pick<WorkerLink, 'attempt'>) {
  const waiting = signal<Wait | null>(null);

  /**
   * Shows the words until the promise settles or the visitor cancels.
   *
   * @param give - called when the visitor cancels
   * @returns null if the visitor cancels
   */
  async function waitFor<T>(words: string, work: Promise<T>, give: () => void): Promise<T | null> {
    let cancel!: () => void;
    const cancelled = new Promise<null>((resolve) => {
      cancel = () => {
        resolve(null);
        give();
      };
    });
    const wait = { words, cancel };
    waiting.value = wait;
    try {
      return await Promise.race([work, cancelled]);
    } finally {
      if (waiting.value === wait) waiting.value = null;
    }
  }

  return {
    waiting,
    waitFor,
    /** Asks the worker for something that a server may delay. Cancelling aborts the request without an error. */
    attemptToFetch: <T>(
      words: string,
      question: (service: TrainerService) => Promise<T>,
      asked: WorkerLink['attempt'] = attempt,
    ): Promise<T | null> => {
      let isGivenUp = false;
      const work = asked(async (service) => {
        try {
          return await question(service);
        } catch (thrown) {
          if (isGivenUp && toErrorReport(thrown).code === 'model/aborted') return null;
          throw thrown;
        }
      });
      return waitFor(words, work, () => {
        isGivenUp = true;
        void asked((service) => service.cancel());
      });
    },
  };
}

export type Waiting = ReturnType<typeof createWaiting>;
