/** The run that trains here: what a visitor may ask of it, what its worker tells of it, and what follows a lost device. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { sameConfig } from '../settings/draft';
import { runName } from '../../share/name';
import type { DownloadProgress } from '../../store/weights/weight-cache';
import type {
  BackendWish,
  Preflight,
  TimingProgress,
  TrainerService,
  WorkerEvent,
} from '../../../workers/protocol';
import { viewOfKept, type Activity } from './run-view';
import type { MayContact } from './consent';
import type { Kept } from './kept';
import { PATIENCE, silentWorker, type WorkerLink } from './worker-link';

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

const ofNetwork = ['model/unreachable', 'model/busy', 'model/download-truncated'];

/** Three losses within this many milliseconds: going on as before would only lose the device again. */
const LOSS_WINDOW = 10 * 60_000;
const LOSSES_ALLOWED = 3;

const words = {
  opening: 'Opening the computer’s hardware',
  loading: 'Loading the model',
  training: 'Beginning',
};

/** How far it is the bar says: words that change with every part could not be read aloud. */
function timingWords({ backend }: TimingProgress): string {
  return `Timing one step on ${backend === 'webgpu' ? 'the GPU' : 'the CPU'}: the faster of the two will do it`;
}

interface TrainingOptions {
  screen: Signal<ErrorReport | null>;
  notice: Signal<ErrorReport | null>;
  activity: Signal<Activity>;
  mayContact: MayContact;
}

export function createTraining(
  link: WorkerLink,
  { runs, shown, refreshRuns, refresh, changed }: Kept,
  { screen, notice, activity, mayContact }: TrainingOptions,
) {
  const { attempt, attemptToRead, order } = link;
  /** What the worker does while `starting`. */
  const stage = signal('');
  /** How far the timing of the backends is, while that is what it does. */
  const timing = signal<TimingProgress | null>(null);
  const wish = signal<BackendWish>('automatic');
  /** Tiles that a link has brought, for a run of its settings. */
  const sentTiles = signal<{ config: RunConfig; tiles: string } | null>(null);
  /** A model from elsewhere that waits for the visitor's word. */
  const question = signal<Question | null>(null);
  const download = signal<DownloadProgress | null>(null);
  /** Of the run that trained here last. */
  const lastEnd = signal<RunEnd | null>(null);
  /** What the network has refused, by the error that says so, and can be done again. */
  const again = signal<{ error: ErrorReport; act: () => void } | null>(null);
  /** What the storage has refused last, of what it still lacks. */
  const refusal = signal<ErrorReport | null>(null);
  let current: string | null = null;
  /** A worker has been asked to begin a run, and has not said yet that it does. */
  let isBeginning = false;
  /** The visitor's stop, for a worker that had nothing to stop yet. */
  let stopWaits = false;
  const losses: number[] = [];
  let persistence: Promise<boolean> | null = null;

  function receive(events: readonly WorkerEvent[]): void {
    batch(() => events.forEach(take));
    if (events.some(({ type }) => type === 'kept')) void refreshRuns();
  }

  function take(event: WorkerEvent): void {
    if (shown.value?.origin === 'live') shown.value.take(event);
    switch (event.type) {
      case 'stage':
        timing.value = event.stage === 'timing' ? event.timing : null;
        stage.value = event.stage === 'timing' ? timingWords(event.timing) : words[event.stage];
        download.value = null;
        if (stopWaits) void stop();
        else if (activity.value !== 'stopping') {
          activity.value = event.stage === 'training' ? 'running' : 'starting';
        }
        stopWaits = false;
        break;
      case 'run':
        current = event.kept.record.id;
        shown.value = viewOfKept('live', event.kept);
        changed();
        break;
      case 'download':
        download.value = event.progress;
        break;
      case 'paused':
        activity.value = 'paused';
        break;
      case 'storage':
        notice.value = event.error;
        refusal.value = event.error.code === 'store/fell-back' ? null : event.error;
        break;
      case 'kept':
        refusal.value = null;
        void keepStorage();
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
      case 'step':
      case 'progress':
      case 'rollouts':
      case 'eval':
      case 'alert':
        break;
    }
  }

  /** Asked once, by what is worth keeping: a browser that says yes does not clear it when its disk runs low. */
  function keepStorage(): Promise<boolean> {
    return (persistence ??= navigator.storage?.persist?.().catch(() => false) ?? Promise.resolve(false));
  }

  function ended(how: RunEnd['how']): void {
    const id = current;
    current = null;
    if (activity.value !== 'watching') activity.value = 'idle';
    changed();
    void refreshRuns().then(() => {
      if (id !== null) lastEnd.value = { id, how };
    });
  }

  /**
   * A lost device cannot be had back: a new worker opens a new one and goes on from the last checkpoint. Not where the storage
   * has refused it: the worker that has it stays, for the visitor to save it.
   */
  async function recover(error: ErrorReport): Promise<void> {
    const id = current;
    const isUnkept = refusal.value !== null;
    if (!isUnkept) link.close();
    const now = Date.now();
    losses.push(now);
    const recent = losses.filter((time) => now - time < LOSS_WINDOW).length;
    if (id === null || isUnkept || recent >= LOSSES_ALLOWED) {
      ended('lost');
      screen.value = {
        ...error,
        nextStep: isUnkept
          ? 'The storage has not got all of the run: save it as a file now, then make room.'
          : recent >= LOSSES_ALLOWED
            ? `This is loss ${recent} within ten minutes. Choose a smaller model, fewer samples per step, or the CPU.`
            : error.nextStep,
      };
      return;
    }
    notice.value = { ...error, nextStep: 'Marble has opened it again and goes on from the last checkpoint.' };
    if ((await resumed(id, wish.value)) === null) ended('lost');
  }

  function resumed(id: string, on: BackendWish): Promise<string | null> {
    return begin((service) => service.resume(id, on));
  }

  async function begin(asked: (service: TrainerService) => Promise<string>): Promise<string | null> {
    activity.value = 'starting';
    stage.value = words.opening;
    timing.value = null;
    isBeginning = true;
    stopWaits = false;
    const id = await attemptToRead(asked);
    isBeginning = false;
    if (id === null) {
      activity.value = 'idle';
      if (screen.value?.code === 'store/other-tab') watchOtherTab();
      if (screen.value?.code === 'app/stopped-early') screen.value = null;
      return null;
    }
    void refreshRuns();
    return id;
  }

  /** Beside a tab that trains this one shows what that one keeps, until it ends. */
  function watchOtherTab(): void {
    activity.value = 'watching';
    void refresh();
  }

  /** Whether a run's model would have to be fetched, which the visitor is then asked about: it may have been deleted. */
  async function mustAsk(config: RunConfig, run: string | null): Promise<boolean> {
    if (config.model.kind !== 'hub' && config.model.kind !== 'url') return false;
    const preflight = await attempt((service) => service.preflight(config));
    if (preflight !== null && preflight.missing === 0) return false;
    if (preflight !== null) question.value = { config, preflight, run };
    return true;
  }

  /** An order to the run that trains; where it cannot be given, nothing is awaited any more. */
  async function command(asked: (service: TrainerService) => Promise<void>): Promise<boolean> {
    const isDone = await order(asked);
    if (!isDone && current === null && !isBeginning) activity.value = 'idle';
    return isDone;
  }

  const startNew = (config: RunConfig): Promise<string | null> => {
    const sent = sentTiles.value;
    const tiles = sent !== null && sameConfig(sent.config, config) ? [sent.tiles] : [];
    return begin((service) => service.start(config, runName(config), wish.value, ...tiles));
  };

  async function startOnce(config: RunConfig): Promise<void> {
    screen.value = null;
    notice.value = null;
    if (!(await mayContact(config))) return;
    if (config.model.kind !== 'embedded') {
      const preflight = await attempt((service) => service.preflight(config));
      if (preflight !== null) question.value = { config, preflight, run: null };
      return;
    }
    await startNew(config);
  }

  async function resumeOnce(id: string, on: BackendWish): Promise<string | null> {
    screen.value = null;
    const config = runs.value.find((run) => run.id === id)?.config;
    if (config !== undefined && (!(await mayContact(config)) || (await mustAsk(config, id)))) return null;
    return resumed(id, on);
  }

  /** @param act - does it again, where the network has refused it */
  async function orAgain<T>(act: () => Promise<unknown>, doing: Promise<T>): Promise<T> {
    const done = await doing;
    const error = screen.value;
    again.value = error !== null && ofNetwork.includes(error.code) ? { error, act: () => void act() } : null;
    return done;
  }

  /** Begins a run; where its model is elsewhere, asks first. */
  const start = (config: RunConfig): Promise<void> => orAgain(() => start(config), startOnce(config));

  /** Null where the run cannot go on, and the screen says why. Without `on` as the visitor has chosen. */
  const resume = (id: string, on = wish.value): Promise<string | null> =>
    orAgain(() => resume(id, on), resumeOnce(id, on));

  /** The visitor's word on the question. */
  async function answer(fetchIt: boolean): Promise<void> {
    const asked = question.value;
    question.value = null;
    if (!fetchIt || asked === null) return;
    const { config, run } = asked;
    await keepStorage();
    await (run === null
      ? orAgain(() => start(config), startNew(config))
      : orAgain(() => resume(run), resumed(run, wish.value)));
  }

  /** Begins a run whose model is here; null where it cannot begin, and the screen or the question says why. */
  async function train(config: RunConfig, on: BackendWish): Promise<string | null> {
    screen.value = null;
    if (!(await mayContact(config)) || (await mustAsk(config, null))) return null;
    return begin((service) => service.start(config, runName(config), on));
  }

  async function stop(): Promise<void> {
    activity.value = 'stopping';
    try {
      if (await link.orderInTime((service) => service.stop())) return;
      ended('stopped');
      notice.value = toErrorReport(silentWorker(PATIENCE));
    } catch (thrown) {
      // A worker that begins obeys as soon as it has something to stop.
      stopWaits = isBeginning;
      if (isBeginning) return;
      if (current === null) activity.value = 'idle';
      screen.value = toErrorReport(thrown);
    }
  }

  return {
    activity: activity as ReadonlySignal<Activity>,
    stage,
    timing,
    wish,
    sentTiles,
    question,
    download,
    /** The run that trains is not all in the storage: it goes with the tab. */
    unkept: computed(() => refusal.value !== null),
    lastEnd,
    again,
    start,
    answer,
    train,
    resume,
    async pause(): Promise<void> {
      activity.value = 'pausing';
      await command((service) => service.pause());
    },
    async step(): Promise<void> {
      activity.value = 'pausing';
      await command((service) => service.step());
    },
    async goOn(): Promise<void> {
      if (await command((service) => service.goOn())) activity.value = 'running';
    },
    stop,
    async keep(): Promise<void> {
      if (current !== null) await order((service) => service.keep());
    },
    current: () => current,
    receive,
    ended,
    watchOtherTab,
  };
}
