/** One worker with its run, the stored runs, and the run that the page shows. */
import { computed, signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import { otherTabTrains, type RunState } from '../../../workers/protocol';
import type { Activity } from './run-view';
import type { OpenPort } from './worker-port';
import { createConsents } from './consent';
import { createKept, type Holder, type ReadRunFile } from './kept';
import { createTraining } from './training';
import { createWaiting } from './waiting';
import { createWorkerLink } from './worker-link';

export type Session = ReturnType<typeof createSession>;

export interface SessionOptions {
  openPort: OpenPort;
  base: string;
  readRunFile: ReadRunFile;
  /** Resolves after the page has drawn the last events. */
  drawn: () => Promise<void>;
  /** Sessions whose workers may hold runs that storage has refused. */
  holders?: () => readonly Holder[];
}

export function createSession({ openPort, base, readRunFile, drawn, holders = () => [] }: SessionOptions) {
  /** Error that replaces the introduction until it is answered. */
  const screen = signal<ErrorReport | null>(null);
  /** Message during training: storage failed, the browser paused the tab. */
  const notice = signal<ErrorReport | null>(null);
  /** The state that the worker sent last, or that a command will lead to. Null before the first run. */
  const state = signal<RunState | null>(null);
  /** True while another tab trains, whose run this page shows. */
  const isWatching = signal(false);
  /** The state of the run that trains here; null without one. */
  const current = computed(() => (state.value?.is === 'ended' ? null : state.value));
  const activity = computed((): Activity => (isWatching.value ? 'watching' : (current.value?.is ?? 'idle')));
  const consents = createConsents(base, (thrown) => (screen.value = toErrorReport(thrown)));
  const { mayContact } = consents;
  const link = createWorkerLink({
    openPort,
    base,
    onEvents: (events) => training.receive(events),
    drawn,
    onError: (thrown) => (screen.value = toErrorReport(thrown)),
    onEnd: () => training.workerEnded('lost'),
  });
  const waiting = createWaiting(link);
  const shared = { ...waiting, screen, notice, state, current, activity, isWatching, mayContact };
  const kept = createKept(link, { ...shared, readRunFile, base, holders });
  const training = createTraining(link, kept, shared);
  return {
    ...link,
    ...waiting,
    ...kept,
    ...training,
    activity,
    consents,
    screen,
    notice,
    async connect(): Promise<void> {
      await kept.refreshRuns();
      if (link.capabilities.value?.busyElsewhere !== true) return;
      screen.value = otherTabTrains;
      training.watchOtherTab();
    },
    /** Resolves a branch of the Hub to its commit; null on an error, which the screen shows. */
    findCommit(repository: string, branch: string): Promise<string | null> {
      consents.agree('huggingface.co'); // pressing the button is the consent
      const words = `Asking huggingface.co for the commit of ${repository}`;
      return waiting.attemptToFetch(words, (service) => service.findCommit(repository, branch));
    },
  };
}
