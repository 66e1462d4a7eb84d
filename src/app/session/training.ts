/** The run that trains here: what a visitor may ask of it, what its worker tells of it, and what follows a lost device. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import type { DownloadProgress } from '../../store/weights/weight-cache';
import type {
  BackendWish,
  PlannedRun,
  Preflight,
  RunRequest,
  TrainerService,
  WorkerEvent,
} from '../../../workers/protocol';
import { viewOfKept, type Activity } from './run-view';
import type { MayContact } from './consent';
import type { Kept } from './kept';
import { PATIENCE, silentWorker, type WorkerLink } from './worker-link';

/** What a run's model takes, for the visitor to say whether it is to be fetched. */
export interface Question {
  preflight: Preflight;
  answer(agreed: boolean): void;
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

interface TrainingOptions {
  screen: Signal<ErrorReport | null>;
  notice: Signal<ErrorReport | null>;
  activity: Signal<Activity>;
  mayContact: MayContact;
}

export function createTraining(
  link: WorkerLink,
  { shown, runOf, refreshRuns, refresh, changed }: Kept,
  { screen, notice, activity, mayContact }: TrainingOptions,
) {
  const { attempt, attemptToRead, order } = link;
  /** What the worker does while `starting`. */
  const stage = signal('');
  const wish = signal<BackendWish>('automatic');
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
  /** The run that began here last: after a lost device it is opened again in the same way. */
  let requested: RunRequest | null = null;
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
        stage.value = words[event.stage];
        download.value = null;
        if (stopWaits) void stop();
        else if (activity.value !== 'stopping') {
          activity.value = event.stage === 'training' ? 'running' : 'starting';
        }
        stopWaits = false;
        break;
      case 'run':
        current = event.kept.record.id;
        shown.value = viewOfKept('live', event.kept, event.parts);
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
    if (id === null || requested === null || isUnkept || recent >= LOSSES_ALLOWED) {
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
    const told = { ...error, nextStep: 'Marble is opening it again, to go on from the last checkpoint.' };
    notice.value = told;
    const { backend, isAttended } = requested;
    const isBack = (await beginInWorker({ id, backend, isAttended })) !== null;
    if (!isBack) ended('lost');
    if (notice.value !== told) return; // there is something newer to know
    const nextStep = 'Marble has opened it again and goes on from the last checkpoint.';
    notice.value = isBack ? { ...error, nextStep } : error;
  }

  async function beginInWorker(request: RunRequest): Promise<string | null> {
    requested = request;
    activity.value = 'starting';
    stage.value = words.opening;
    isBeginning = true;
    stopWaits = false;
    const id = await attemptToRead((service) => service.start(request));
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

  /**
   * Whether a run's model may be fetched, if any of it has to be: it may have been deleted. Asks the visitor.
   *
   * @param always - asks about any model from elsewhere, though all of it is here: what it takes is seen before it trains
   */
  async function mayFetch(config: RunConfig, always: boolean): Promise<boolean> {
    const { kind } = config.model;
    if (kind === 'embedded' || (kind === 'files' && !always)) return true;
    const preflight = await attempt((service) => service.preflight(config, wish.value));
    if (preflight === null) return false;
    if (preflight.missing === 0 && !always) return true;
    question.value?.answer(false); // one that came up meanwhile
    const isAgreed = await new Promise<boolean>((resolve) => {
      question.value = {
        preflight,
        answer(agreed) {
          question.value = null;
          resolve(agreed);
        },
      };
    });
    if (isAgreed) await keepStorage();
    return isAgreed;
  }

  /** An order to the run that trains; where it cannot be given, nothing is awaited any more. */
  async function command(asked: (service: TrainerService) => Promise<void>): Promise<boolean> {
    const isDone = await order(asked);
    if (!isDone && current === null && !isBeginning) activity.value = 'idle';
    return isDone;
  }

  /**
   * Begins what is asked for, with the visitor's word on whom it contacts and what it fetches.
   *
   * @returns the id of the run; null where it cannot begin, and the screen says why, or where the visitor said no
   */
  async function begin(request: RunRequest): Promise<string | null> {
    screen.value = null;
    question.value?.answer(false); // an older question is not answered any more
    const isNew = 'config' in request;
    const config = isNew ? request.config : runOf(request.id)?.config;
    const asksAlways = isNew && request.isAttended === true;
    if (config !== undefined && !((await mayContact(config)) && (await mayFetch(config, asksAlways))))
      return null;
    return beginInWorker(request);
  }

  /** The same for a visitor, who may do it again where the network has refused it. */
  async function beginForVisitor(request: RunRequest): Promise<void> {
    await begin({ ...request, isAttended: true });
    const error = screen.value;
    const act = () => void beginForVisitor(request);
    again.value = error !== null && ofNetwork.includes(error.code) ? { error, act } : null;
  }

  async function pause(): Promise<void> {
    activity.value = 'pausing';
    await command((service) => service.pause());
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
    wish,
    question,
    download,
    /** The run that trains is not all in the storage: it goes with the tab. */
    unkept: computed(() => refusal.value !== null),
    lastEnd,
    again,
    begin,
    /** What a run needs here, whose model is here; null where that cannot be told, or something trains. */
    plan: (config: RunConfig): Promise<PlannedRun | null> =>
      attempt((service) => service.plan(config, wish.value).catch(() => null)),
    /** Begins a new run; of a model from elsewhere it is asked first. */
    start(config: RunConfig): Promise<void> {
      notice.value = null;
      return beginForVisitor({ config, backend: wish.value });
    },
    resume: (id: string): Promise<void> => beginForVisitor({ id, backend: wish.value }),
    pause,
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
