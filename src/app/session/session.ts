/** One worker and what the page does with it: the run on show, the one that trains, and what a visitor may ask for. */
import { signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import { otherTabTrains } from '../../../workers/protocol';
import type { Activity } from './run-view';
import type { OpenPort } from './worker-port';
import { createConsents } from './consent';
import { createKept, type ReadRunFile } from './kept';
import { createTraining } from './training';
import { createWorkerLink } from './worker-link';

export type Session = ReturnType<typeof createSession>;

export interface SessionOptions {
  openPort: OpenPort;
  base: string;
  readRunFile: ReadRunFile;
  /** Resolves once the page has drawn what the last events changed. */
  drawn: () => Promise<void>;
}

export function createSession({ openPort, base, readRunFile, drawn }: SessionOptions) {
  /** An error that takes the place of the introduction until it is answered. */
  const screen = signal<ErrorReport | null>(null);
  /** Something to know while training goes on: storage failed, the browser paused the tab. */
  const notice = signal<ErrorReport | null>(null);
  const activity = signal<Activity>('idle');
  const consents = createConsents(base, (thrown) => (screen.value = toErrorReport(thrown)));
  const { mayContact } = consents;
  const link = createWorkerLink({
    openPort,
    base,
    onEvents: (events) => training.receive(events),
    drawn,
    onError: (thrown) => (screen.value = toErrorReport(thrown)),
    onEnd: () => training.ended('lost'),
  });
  const current = (): string | null => training.current();
  const kept = createKept(link, { screen, notice, activity, current, mayContact, readRunFile, base });
  const training = createTraining(link, kept, { screen, notice, activity, mayContact });
  return {
    ...link,
    ...kept,
    ...training,
    consents,
    screen,
    notice,
    async connect(): Promise<void> {
      await kept.refreshRuns();
      if (link.capabilities.value?.busyElsewhere !== true) return;
      screen.value = otherTabTrains;
      training.watchOtherTab();
    },
    /** Asks the Hub which commit a branch names; null where it does not say, and the screen says why. */
    findCommit(repository: string, branch: string): Promise<string | null> {
      consents.agree('huggingface.co'); // the button that was pressed says so
      return link.attempt((service) => service.findCommit(repository, branch));
    },
  };
}
