/** What the page is doing: the run on show, the one that trains, and what a visitor may ask for. One per page. */
import { batch, signal, type Signal } from '@preact/signals';
import { proxy } from 'comlink';
import { MarbleError, toErrorReport, type ErrorReport } from '../error';
import type { RunConfig } from '../rl/config';
import type { Rollout } from '../rl/events';
import type {
  BackendWish,
  Capabilities,
  KeptRun,
  ListedRun,
  Preflight,
  StoredModel,
  TrainerService,
  UnkeptRun,
  WorkerEvent,
} from '../../workers/protocol';
import { runName } from '../share/name';
import type { SweepRecord } from '../store/records';
import type { DownloadProgress } from '../store/weight-cache';
import { createConsents, type Consents } from './consent';
import { keptAlready } from './kept-runs';
import { fold, viewOfKept, type RunView } from './run-view';
import type { OpenPort, TrainerPort } from './trainer-port';
import { ask } from './worker-port';
import { otherTab, watchOtherTab, type Attempt } from './viewer';

export type Activity = 'idle' | 'starting' | 'running' | 'pausing' | 'paused' | 'stopping' | 'watching';

/** How long a worker is waited for: what does not answer by then is closed, whatever it is busy with. */
const patience = 20_000;

/** Three losses within this many milliseconds: going on as before would only lose the device again. */
const lossWindow = 10 * 60_000;
const lossesAllowed = 3;

export interface Question {
  config: RunConfig;
  preflight: Preflight;
  /** The kept run that is to go on; null for a new one. */
  run: string | null;
}

/** How the training of a run ended, once its record says so. */
export interface RunEnd {
  id: string;
  how: 'done' | 'stopped' | 'failed' | 'lost';
}

export interface Session {
  readonly activity: Signal<Activity>;
  /** What the worker does while `starting`. */
  readonly stage: Signal<string>;
  readonly shown: Signal<RunView | null>;
  readonly runs: Signal<readonly ListedRun[]>;
  readonly overlays: Signal<readonly KeptRun[]>;
  readonly capabilities: Signal<Capabilities | null>;
  readonly wish: Signal<BackendWish>;
  /** An error that takes the place of the introduction until it is answered. */
  readonly screen: Signal<ErrorReport | null>;
  /** Whether servers that a run names may be contacted. */
  readonly consents: Consents;
  /** A model from elsewhere that waits for the visitor's word. */
  readonly question: Signal<Question | null>;
  /** What a starting run is fetching. */
  readonly download: Signal<DownloadProgress | null>;
  /** Something to know while training goes on: storage failed, the browser paused the tab. */
  readonly notice: Signal<ErrorReport | null>;
  /** The run that trains is not all in the storage: it goes with the tab. */
  readonly unkept: Signal<boolean>;

  /** Of the run that trained here last. */
  readonly lastEnd: Signal<RunEnd | null>;

  connect(): Promise<void>;
  /** Looks again at what is kept, and whether another tab trains. */
  refresh(): Promise<void>;
  /** Begins a run; where its model is elsewhere, asks first. */
  start(config: RunConfig): Promise<void>;
  /** The visitor's word on the question. */
  answer(fetchIt: boolean): Promise<void>;
  /** Begins a run whose model is here; null where it cannot begin, and the screen or the question says why. */
  train(config: RunConfig, on: BackendWish): Promise<string | null>;
  /** Null where the run cannot go on, and the screen says why. Without `on` as the visitor has chosen. */
  resume(id: string, on?: BackendWish): Promise<string | null>;
  pause(): Promise<void>;
  step(): Promise<void>;
  goOn(): Promise<void>;
  stop(): Promise<void>;
  keep(): Promise<void>;
  open(id: string): Promise<void>;
  history(id: string): Promise<KeptRun | null>;
  rollouts(id: string, step?: number): Promise<readonly Rollout[]>;
  setNotes(id: string, notes: string): Promise<void>;
  remove(id: string): Promise<void>;
  toggleOverlay(id: string): Promise<void>;
  runFile(id: string): Promise<Blob | null>;
  weightsFile(id: string): Promise<Blob | null>;
  /** Keeps the run of a file, and opens it; null where it cannot be read, and the screen says why. */
  openRunFile(file: Blob): Promise<string | null>;

  storedModels(): Promise<readonly StoredModel[]>;
  deleteStoredModel(address: string): Promise<boolean>;
  /** Takes the visitor's own files as the model of runs whose model is `files`. */
  chooseFiles(files: Record<string, File>): Promise<boolean>;
  /** Takes the visitor's own adapter; null where it is none, and the screen says why. */
  chooseAdapter(files: Record<string, File>): Promise<{ rank: number; alpha: number } | null>;
  /** Asks the Hub which commit a branch names; null where it does not say, and the screen says why. */
  findCommit(repository: string, branch: string): Promise<string | null>;

  sweeps(): Promise<readonly SweepRecord[]>;
  keepSweep(sweep: SweepRecord): Promise<boolean>;
  removeSweep(id: string): Promise<boolean>;
}

const words = {
  opening: 'Opening the computer’s hardware',
  timing: 'Timing one step on each way to compute',
  loading: 'Loading the model',
  training: 'Beginning',
};

const silentWorker: ErrorReport = {
  code: 'app/worker-silent',
  message: `The trainer did not answer for ${patience / 1000} seconds and was closed.`,
  nextStep:
    'What it was busy with may never end, as with a damaged or hostile model. A kept run can be resumed.',
};

export function createSession(openPort: OpenPort, base: string): Session {
  const activity = signal<Activity>('idle');
  const stage = signal('');
  const shown = signal<RunView | null>(null);
  const runs = signal<readonly ListedRun[]>([]);
  const overlays = signal<readonly KeptRun[]>([]);
  const capabilities = signal<Capabilities | null>(null);
  const wish = signal<BackendWish>('automatic');
  const screen = signal<ErrorReport | null>(null);
  const question = signal<Question | null>(null);
  const download = signal<DownloadProgress | null>(null);
  const notice = signal<ErrorReport | null>(null);
  const lastEnd = signal<RunEnd | null>(null);
  const unkept = signal(false);

  const consents = createConsents(base);

  let port: TrainerPort | null = null;
  /** Chosen by the visitor; a new worker is given them again. */
  let ownFiles: Record<string, File> | null = null;
  let ownAdapter: Record<string, File> | null = null;
  /** The run that trains here, if one does. */
  let training: string | null = null;
  /** What a worker could not keep, on its way to the next one. */
  let rescued: UnkeptRun | null = null;
  /** A worker has been asked to begin a run, and has not said yet that it does. */
  let isBeginning = false;
  /** The visitor's stop, for a worker that had nothing to stop yet. */
  let stopWaits = false;
  const losses: number[] = [];
  let persistence: Promise<boolean> | null = null;

  const tell = (thrown: unknown): void => {
    screen.value = toErrorReport(thrown);
  };

  /** Asks the worker; an error becomes the screen, and the answer is null. */
  const attempt: Attempt = async (question) => {
    try {
      return await ask(await opened(), question);
    } catch (thrown) {
      // A worker that the page itself has closed owes no answer.
      if (!(thrown instanceof MarbleError && thrown.code === 'app/worker-closed')) tell(thrown);
      return null;
    }
  };

  async function opened(): Promise<TrainerPort> {
    if (port !== null) return port;
    const fresh = openPort();
    port = fresh;
    fresh.ended.catch((thrown: unknown) => void giveUp(fresh, thrown));
    const onEvent = (event: WorkerEvent): void => {
      if (port === fresh) receive(event);
    };
    capabilities.value = await ask(fresh, (service) => service.connect(base, proxy(onEvent)));
    const chosen = ownFiles;
    if (chosen !== null) await ask(fresh, (service) => service.chooseFiles(chosen));
    const adapter = ownAdapter;
    if (adapter !== null) await ask(fresh, (service) => service.chooseAdapter(adapter));
    const run = rescued;
    if (run !== null) await ask(fresh, (service) => service.takeOver(run));
    if (rescued === run) rescued = null;
    return fresh;
  }

  /** Closes a worker, and with it the lock and the GPU that it holds; what it alone has of a run is taken out before. */
  async function close(old: TrainerPort): Promise<void> {
    const silence = new Promise<null>((resolve) => setTimeout(() => resolve(null), patience));
    // Not `ask`: a worker that has failed somewhere can still answer.
    const run = await Promise.race([old.service.unkept().catch(() => null), silence]);
    if (port === old) port = null;
    rescued ??= run;
    old.close();
  }

  /** A worker that has failed is of no use any more, though it may go on. */
  async function giveUp(old: TrainerPort, thrown: unknown): Promise<void> {
    if (port !== old) return;
    await close(old);
    ended('lost');
    tell(thrown);
  }

  async function refreshRuns(): Promise<void> {
    const list = await attempt((service) => service.listRuns());
    if (list !== null) runs.value = list;
  }

  function receive(event: WorkerEvent): void {
    batch(() => {
      if (shown.value?.origin === 'live') fold(shown.value, event);
      switch (event.type) {
        case 'stage':
          stage.value = words[event.stage];
          download.value = null;
          if (stopWaits) void session.stop();
          else if (activity.value !== 'stopping') {
            activity.value = event.stage === 'training' ? 'running' : 'starting';
          }
          stopWaits = false;
          break;
        case 'run':
          training = event.kept.record.id;
          shown.value = viewOfKept('live', event.kept);
          break;
        case 'download':
          download.value = event.progress;
          break;
        case 'paused':
          activity.value = 'paused';
          break;
        case 'storage':
          notice.value = event.error;
          unkept.value = event.error.code !== 'store/fell-back';
          break;
        case 'kept':
          unkept.value = false;
          void keepStorage();
          void refreshRuns();
          break;
        case 'done':
        case 'stopped':
          ended(event.type);
          break;
        case 'failed':
          ended('failed');
          screen.value = event.error;
          break;
        case 'lost':
          void recover(event.error);
          break;
        case 'progress':
        case 'step':
        case 'rollouts':
        case 'eval':
        case 'alert':
        case 'backend':
          break;
      }
    });
  }

  /** Asked once, by what is worth keeping: a browser that says yes does not clear it when its disk runs low. */
  function keepStorage(): Promise<boolean> {
    return (persistence ??= navigator.storage?.persist?.().catch(() => false) ?? Promise.resolve(false));
  }

  function ended(how: RunEnd['how']): void {
    const id = training;
    training = null;
    if (activity.value !== 'watching') activity.value = 'idle';
    void refreshRuns().then(() => {
      if (id !== null) lastEnd.value = { id, how };
    });
  }

  /** A lost device cannot be had back: a new worker opens a new one and goes on from the last checkpoint. */
  async function recover(error: ErrorReport): Promise<void> {
    const id = training;
    if (port !== null) await close(port);
    const now = Date.now();
    losses.push(now);
    const recent = losses.filter((time) => now - time < lossWindow).length;
    if (id === null || recent >= lossesAllowed) {
      ended('lost');
      screen.value = {
        ...error,
        nextStep:
          recent >= lossesAllowed
            ? `This is loss ${recent} within ten minutes. Choose a smaller model, fewer samples per step, or the CPU.`
            : error.nextStep,
      };
      return;
    }
    notice.value = {
      ...error,
      nextStep: 'Marble has opened it again and goes on from the last checkpoint.',
    };
    if ((await begin((service) => service.resume(id, wish.value))) === null) ended('lost');
  }

  async function begin(question: (service: TrainerService) => Promise<string>): Promise<string | null> {
    activity.value = 'starting';
    stage.value = words.opening;
    isBeginning = true;
    stopWaits = false;
    const id = await attempt(question);
    isBeginning = false;
    if (id === null) {
      activity.value = 'idle';
      if (screen.value?.code === 'store/other-tab') watch();
      if (screen.value?.code === 'app/stopped-early') screen.value = null;
      return null;
    }
    void refreshRuns();
    return id;
  }

  /** False where the visitor does not want it, or where the screen says why not. */
  async function mayContact(config: RunConfig): Promise<boolean> {
    try {
      return await consents.mayContact(config);
    } catch (thrown) {
      tell(thrown);
      return false;
    }
  }

  /** Whether a run's model would have to be fetched, which the visitor is then asked about: it may have been deleted. */
  async function mustAsk(config: RunConfig, run: string | null): Promise<boolean> {
    if (config.model.kind !== 'hub' && config.model.kind !== 'url') return false;
    const preflight = await attempt((service) => service.preflight(config));
    if (preflight !== null && preflight.missing === 0) return false;
    if (preflight !== null) question.value = { config, preflight, run };
    return true;
  }

  const configOf = (id: string): RunConfig | undefined => runs.value.find((run) => run.id === id)?.config;

  const watch = (): void => watchOtherTab({ session, attempt, refreshRuns });

  /** Asks for something that has no answer; false where it failed, and the screen says why. */
  const order = async (question: (service: TrainerService) => Promise<void>): Promise<boolean> =>
    (await attempt(async (service) => {
      await question(service);
      return true;
    })) === true;

  /** Closes a worker that does not answer in time: what it parses or computes may never end. */
  async function closeIfSilent(asked: TrainerPort, answer: Promise<void>): Promise<void> {
    let isSilent = true;
    const settled = answer.finally(() => (isSilent = false));
    const silence = new Promise<void>((resolve) => setTimeout(resolve, patience));
    await Promise.race([settled, silence]);
    if (!isSilent || port !== asked) return;
    port = null;
    asked.close();
    ended('stopped');
    notice.value = silentWorker;
  }

  /** An order to the run that trains; where it cannot be given, nothing is awaited any more. */
  async function command(question: (service: TrainerService) => Promise<void>): Promise<boolean> {
    const isDone = await order(question);
    if (!isDone && training === null && !isBeginning) activity.value = 'idle';
    return isDone;
  }

  const session: Session = {
    activity,
    stage,
    shown,
    runs,
    overlays,
    capabilities,
    wish,
    screen,
    question,
    download,
    notice,
    lastEnd,
    unkept,
    consents,

    async refresh() {
      if (activity.value === 'idle') await refreshRuns();
    },
    async connect() {
      await refreshRuns();
      if (capabilities.value?.busyElsewhere !== true) return;
      screen.value = otherTab;
      watch();
    },
    async start(config) {
      screen.value = null;
      notice.value = null;
      if (!(await mayContact(config))) return;
      if (config.model.kind !== 'embedded') {
        const preflight = await attempt((service) => service.preflight(config));
        if (preflight !== null) question.value = { config, preflight, run: null };
        return;
      }
      await begin((service) => service.start(config, runName(config), wish.value));
    },
    async answer(fetchIt) {
      const asked = question.value;
      question.value = null;
      if (!fetchIt || asked === null) return;
      const { config, run } = asked;
      await keepStorage();
      await begin((service) =>
        run === null ? service.start(config, runName(config), wish.value) : service.resume(run, wish.value),
      );
    },
    async train(config, on) {
      screen.value = null;
      if (!(await mayContact(config)) || (await mustAsk(config, null))) return null;
      return begin((service) => service.start(config, runName(config), on));
    },
    async resume(id, on = wish.value) {
      screen.value = null;
      const config = configOf(id);
      if (config !== undefined && (!(await mayContact(config)) || (await mustAsk(config, id)))) return null;
      return begin((service) => service.resume(id, on));
    },
    async pause() {
      activity.value = 'pausing';
      await command((service) => service.pause());
    },
    async step() {
      activity.value = 'pausing';
      await command((service) => service.step());
    },
    async goOn() {
      if (await command((service) => service.goOn())) activity.value = 'running';
    },
    async stop() {
      activity.value = 'stopping';
      try {
        const asked = await opened();
        await closeIfSilent(
          asked,
          ask(asked, (service) => service.stop()),
        );
      } catch (thrown) {
        // A worker that begins obeys as soon as it has something to stop.
        stopWaits = isBeginning;
        if (isBeginning) return;
        if (training === null) activity.value = 'idle';
        tell(thrown);
      }
    },
    async keep() {
      if (training !== null) await order((service) => service.keep());
    },
    async open(id) {
      const history = await attempt((service) => service.getRun(id));
      if (history !== null) shown.value = viewOfKept(id === training ? 'live' : 'kept', history);
    },
    history: (id) => attempt((service) => service.getRun(id)),
    rollouts: async (id, step) => (await attempt((service) => service.getRollouts(id, step))) ?? [],
    async setNotes(id, notes) {
      if (await order((service) => service.setNotes(id, notes))) await refreshRuns();
    },
    async remove(id) {
      if (!(await order((service) => service.deleteRun(id)))) return;
      overlays.value = overlays.value.filter((overlay) => overlay.record.id !== id);
      if (shown.value?.id === id) shown.value = null;
      await refreshRuns();
    },
    async toggleOverlay(id) {
      const rest = overlays.value.filter((overlay) => overlay.record.id !== id);
      if (rest.length < overlays.value.length) {
        overlays.value = rest;
        return;
      }
      const history = await attempt((service) => service.getRun(id));
      if (history !== null) overlays.value = [...rest, history];
    },
    storedModels: async () => (await attempt((service) => service.storedModels())) ?? [],
    deleteStoredModel: (address) => order((service) => service.deleteStoredModel(address)),
    chooseFiles(files) {
      ownFiles = files;
      return order((service) => service.chooseFiles(files));
    },
    chooseAdapter(files) {
      ownAdapter = files;
      return attempt((service) => service.chooseAdapter(files));
    },
    findCommit(repository, branch) {
      consents.agree('huggingface.co'); // the button that was pressed says so
      return attempt((service) => service.findCommit(repository, branch));
    },
    sweeps: async () => (await attempt((service) => service.listSweeps())) ?? [],
    keepSweep: (sweep) => order((service) => service.putSweep(sweep)),
    removeSweep: (id) => order((service) => service.deleteSweep(id)),
    async weightsFile(id) {
      const config = configOf(id);
      // Beside a model that was trained in full lie files that are fetched from where it is from.
      const isFetched = config?.training.mode === 'full';
      if (isFetched && !(await mayContact(config))) return null;
      return attempt((service) => service.weightsFile(id));
    },
    runFile: (id) => attempt((service) => service.runFile(id)),
    async openRunFile(file) {
      screen.value = null;
      const imported = await attempt((service) => service.openRunFile(file));
      if (imported === null) return null;
      notice.value = imported.isNew ? null : keptAlready(imported.record);
      await refreshRuns();
      await session.open(imported.record.id);
      return imported.record.id;
    },
  };
  return session;
}
