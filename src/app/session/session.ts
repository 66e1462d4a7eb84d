/** One worker and what the page does with it: the run on show, the one that trains, and what a visitor may ask for. */
import { signal, type Signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import { proxy } from 'comlink';
import type { Capabilities, CheckProgress, ComputerCheck, PresetCost } from '../../../workers/protocol';
import { viewOfKept } from './run-view';
import type { OpenPort } from './worker-port';
import { createConsents, type Consents } from './consent';
import { createKept, type Kept, type ReadRunFile } from './kept';
import { otherTab } from './other-tab';
import { createTraining, type Messages, type Training } from './training';
import { createWorkerLink, type WorkerLink } from './worker-link';

interface Models {
  /** Takes the visitor's own files as the model of runs whose model is `files`. */
  chooseFiles(files: Record<string, File>): Promise<boolean>;
  /** Takes the visitor's own adapter; null where it is none, and the screen says why. */
  chooseAdapter(files: Record<string, File>): Promise<{ rank: number; alpha: number } | null>;
  /** Asks the Hub which commit a branch names; null where it does not say, and the screen says why. */
  findCommit(repository: string, branch: string): Promise<string | null>;
}

export interface Session extends Training, Kept, Models, Messages {
  /** False where another tab trains, and the screen says so. */
  lockAs: WorkerLink['lockAs'];
  /** For what the worker alone can answer: nothing that contacts a server, begins a run or changes what is listed here. */
  attempt: WorkerLink['attempt'];
  order: WorkerLink['order'];
  close(): void;
  readonly capabilities: Signal<Capabilities | null>;
  /** Whether servers that a run names may be contacted. */
  readonly consents: Consents;
  /** How often this page has changed which runs are kept or trained: the other tabs look again. */
  readonly changes: Signal<number>;

  /** What each preset holds and fetches; null where the page's own files cannot be read. */
  costs(): Promise<readonly PresetCost[] | null>;
  /**
   * Times a short piece of each preset's work.
   *
   * @param goOn - told what is timed; the check ends where it answers false
   */
  check(goOn: (progress: CheckProgress) => boolean): Promise<ComputerCheck | null>;
  connect(): Promise<void>;
  /** Looks again at which runs are kept, and at the one on show where another tab trains it. */
  refresh(): Promise<void>;
}

export interface SessionOptions {
  openPort: OpenPort;
  base: string;
  readRunFile: ReadRunFile;
  /** Resolves once the page has drawn what the last events changed. */
  drawn: () => Promise<void>;
}

export function createSession({ openPort, base, readRunFile, drawn }: SessionOptions): Session {
  const screen = signal<ErrorReport | null>(null);
  const notice = signal<ErrorReport | null>(null);
  const changes = signal(0);
  const changed = (): void => void (changes.value += 1);
  const consents = createConsents(base, (thrown) => (screen.value = toErrorReport(thrown)));
  const link = createWorkerLink({
    openPort,
    base,
    onEvents: (events) => training.receive(events),
    drawn,
    onError: (thrown) => (screen.value = toErrorReport(thrown)),
    onEnd: () => training.ended('lost'),
  });
  const { mayContact } = consents;
  const { kept, refreshRuns } = createKept(link, {
    screen,
    notice,
    mayContact,
    readRunFile,
    base,
    changed,
    current: () => training.current(),
  });
  const training = createTraining(
    link,
    { runs: kept.runs, shown: kept.shown, refreshRuns, changed },
    { screen, notice, mayContact },
  );

  const { attempt, order, capabilities, chooseFiles, chooseAdapter, lockAs, close } = link;
  return {
    ...training,
    ...kept,
    lockAs,
    attempt,
    order,
    close,
    capabilities,
    consents,
    screen,
    notice,
    changes,
    chooseFiles,
    chooseAdapter,
    costs: () => attempt((service) => service.costs()),
    check: (goOn) =>
      attempt((service) =>
        service.check(proxy((progress: CheckProgress) => Promise.resolve(goOn(progress)))),
      ),
    async refresh() {
      await refreshRuns();
      const id = kept.shown.value?.id ?? null;
      const isFollowed = (): boolean =>
        training.activity.value === 'idle' &&
        kept.shown.value?.id === id &&
        kept.runs.value.some((run) => run.id === id && run.trainsElsewhere === true);
      if (id === null || !isFollowed()) return;
      const history = await attempt((service) => service.getRun(id));
      if (history !== null && isFollowed()) kept.shown.value = viewOfKept('kept', history);
    },
    async connect() {
      await refreshRuns();
      if (capabilities.value?.busyElsewhere !== true) return;
      screen.value = otherTab;
      training.watchOtherTab();
    },
    findCommit(repository, branch) {
      consents.agree('huggingface.co'); // the button that was pressed says so
      return attempt((service) => service.findCommit(repository, branch));
    },
  };
}
