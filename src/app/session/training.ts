/** Begins runs in the session's worker, follows their state, and resumes a run after a lost device. */
import { batch, computed, signal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import type { RunClass } from '../../run/record/run-record';
import type {
  BackendWish,
  PlannedRun,
  Preflight,
  RunEnd,
  RunRequest,
  RunState,
  WorkerEvent,
} from '../../../workers/protocol';
import { viewOfKept } from './run-view';
import type { Kept, SessionState } from './kept';
import type { Waiting } from './waiting';
import { PATIENCE, silentWorker, type WorkerLink } from './worker-link';

/** Asks the visitor whether to fetch a run's model. */
export interface Question {
  preflight: Preflight;
  answer(agreed: boolean): void;
}

/** End of a run whose record is up to date in the list of runs. */
export type EndOfRun = Pick<RunEnd, 'how'> & { id: string };

/** Errors after which the same request may succeed: of the network, or once files are chosen. */
const repeatable = ['model/unreachable', 'model/busy', 'model/download-truncated', 'app/choose-files'];

/** Errors of a storage that refuses a run. Their notice closes once the run is stored. */
const ofRefusal = ['store/full', 'store/unavailable'];

/** Window in milliseconds. After three losses within it another attempt would probably lose the device again. */
const LOSS_WINDOW = 10 * 60_000;
const LOSSES_ALLOWED = 3;

/** The state that a command leads to. */
const stateAfter = { pause: 'pausing', step: 'pausing', goOn: 'running', stop: 'stopping' } as const;

const words = { hardware: 'Opening the computer’s hardware', model: 'Loading the model' };

export function createTraining(
  link: WorkerLink,
  { shown, takeEvent, runOf, refreshRuns, forgetMissing, refresh, changed }: Kept,
  { screen, notice, state, current, isWatching, mayContact, attemptToFetch }: SessionState & Waiting,
) {
  const { attempt, attemptToRead, order } = link;
  const wish = signal<BackendWish>('automatic');
  /** Class and seat of the next new run. */
  const runClass = signal<RunClass | null>(null);
  /** The open question about a model that is not part of the page. */
  const question = signal<Question | null>(null);
  /** End of the last run. */
  const lastEnd = signal<EndOfRun | null>(null);
  /** Retries the start that failed with this error of the network. */
  const again = signal<{ error: ErrorReport; act: () => void } | null>(null);
  /** The last request, repeated after a lost device. */
  let requested: RunRequest | null = null;
  /** IDs of the worker's runs that are not fully stored. Closing the worker loses the rest of them. */
  const unkept = computed(() => state.value?.unkept ?? []);
  const losses: number[] = [];
  let persistence: Promise<boolean> | null = null;

  function receive(events: readonly WorkerEvent[]): void {
    batch(() => events.forEach(take));
    if (events.some(({ type }) => type === 'kept')) void refreshRuns();
  }

  function take(event: WorkerEvent): void {
    takeEvent(event);
    if (event.type === 'state') follow(event.state);
    else if (event.type === 'storage') notice.value = event.error;
    else if (event.type === 'kept') void keepStorage();
    else if (event.type === 'run') {
      shown.value = viewOfKept('live', event.kept, event.parts);
      changed();
    }
  }

  /** Takes a state of the worker. An ended run sends its state again if it is stored or deleted. */
  function follow(next: RunState): void {
    const isEnd = current.value !== null;
    const isStoredNow = unkept.value.length > 0 && next.unkept.length === 0;
    state.value = next;
    if (isStoredNow && ofRefusal.includes(notice.value?.code ?? '')) notice.value = null;
    if (next.is !== 'ended' || !isEnd) return;
    if (next.error?.code === 'gpu/device-lost') return void recover(next.id, next.error);
    tellEnd(next.id, next.how);
    screen.value = next.error ?? screen.value;
  }

  /** Ends a run that its worker does not end. */
  function end(how: RunEnd['how']): void {
    if (current.value !== null) follow({ ...current.value, is: 'ended', how });
  }

  /** Handles the end of the worker, which loses everything that only its memory held. */
  function workerEnded(how: RunEnd['how']): void {
    if (state.value !== null) state.value = { ...state.value, unkept: [] };
    end(how);
  }

  /** @param id - null for a run that was never open */
  function tellEnd(id: string | null, how: RunEnd['how']): void {
    if (id === null) return;
    changed();
    void refreshRuns().then(() => (lastEnd.value = { id, how }));
  }

  /** Asks the browser once not to clear this page's storage when its disk runs low. */
  function keepStorage(): Promise<boolean> {
    return (persistence ??= navigator.storage?.persist?.().catch(() => false) ?? Promise.resolve(false));
  }

  /**
   * Resumes the run from its last checkpoint in a new worker, since a lost device never returns. If storage has refused part of
   * a run, the worker stays open, so the visitor can save it.
   */
  async function recover(id: string | null, error: ErrorReport): Promise<void> {
    const isStored = unkept.value.length === 0;
    if (isStored) link.close();
    const now = performance.now();
    losses.push(now);
    const recent = losses.filter((time) => now - time < LOSS_WINDOW).length;
    if (id === null || requested === null || !isStored || recent >= LOSSES_ALLOWED) {
      tellEnd(id, 'lost');
      screen.value = {
        ...error,
        nextStep: !isStored
          ? 'The storage has not got all of a run: save it as a file now, then make room.'
          : recent >= LOSSES_ALLOWED
            ? `This is loss ${recent} within ten minutes. Choose a smaller model, fewer samples per step, or the CPU.`
            : error.nextStep,
      };
      return;
    }
    const told = { ...error, nextStep: 'Marble is opening it again, to go on from the last checkpoint.' };
    notice.value = told;
    const { backend, isAttended } = requested;
    const isBack = (await open({ id, backend, isAttended })) !== null;
    if (!isBack) tellEnd(id, 'lost');
    if (notice.value !== told) return; // a newer notice
    const nextStep = 'Marble has opened it again and goes on from the last checkpoint.';
    notice.value = isBack ? { ...error, nextStep } : error;
  }

  async function open(request: RunRequest): Promise<string | null> {
    requested = request;
    isWatching.value = false;
    state.value = { is: 'opening', id: null, stage: 'hardware', download: null, unkept: unkept.value };
    const id = await attemptToRead((service) => service.start(request));
    if (id !== null) {
      void refreshRuns();
      return id;
    }
    end('failed');
    forgetMissing();
    if (screen.value?.code === 'store/other-tab') watchOtherTab();
    if (screen.value?.code === 'app/stopped-early') screen.value = null;
    return null;
  }

  /** Shows the stored run of the tab that trains, until it ends. */
  function watchOtherTab(): void {
    isWatching.value = true;
    void refresh();
  }

  /**
   * Asks the visitor whether to fetch missing files of a run's model.
   *
   * @param always - asks about any model from elsewhere, since the question also shows the run's memory and time
   */
  async function mayFetch(config: RunConfig, always: boolean): Promise<boolean> {
    const { kind } = config.model;
    if (kind === 'embedded' || (kind === 'files' && !always)) return true;
    const host = kind === 'hub' ? 'huggingface.co' : kind === 'url' ? new URL(config.model.url).host : null;
    const words = host === null ? 'Reading the model’s files' : `Asking ${host} for the size of the model`;
    const preflight = await attemptToFetch(words, (service) => service.preflight(config, wish.value));
    if (preflight === null) return false;
    if (preflight.missing === 0 && !always) return true;
    question.value?.answer(false); // replaced by a newer one
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

  /**
   * Begins a run after the visitor has agreed to its servers and downloads. After a network error the visitor may retry.
   *
   * @returns the ID of the run; null if it cannot begin, with the error on the screen, or if the visitor declined
   */
  async function begin(request: RunRequest): Promise<string | null> {
    screen.value = null;
    question.value?.answer(false); // replaced by this one
    const { isAttended = false } = request;
    const isNew = 'config' in request;
    const config = isNew ? request.config : runOf(request.id)?.config;
    const mayOpen =
      config === undefined || ((await mayContact(config)) && (await mayFetch(config, isNew && isAttended)));
    const id = mayOpen ? await open(request) : null;
    const error = screen.value as ErrorReport | null;
    const isRepeatable = isAttended && error !== null && repeatable.includes(error.code);
    again.value = isRepeatable ? { error, act: () => void begin(request) } : null;
    return id;
  }

  /** Shows the state after the command immediately, since a busy worker answers late. */
  function expect(command: keyof typeof stateAfter): void {
    if (current.value !== null) state.value = { ...current.value, is: stateAfter[command] };
  }

  async function give(command: keyof typeof stateAfter): Promise<void> {
    expect(command);
    await order((service) => service.command(command));
  }

  async function stop(): Promise<void> {
    expect('stop');
    try {
      if (await link.orderInTime((service) => service.command('stop'))) return;
      workerEnded('stopped');
      notice.value = toErrorReport(silentWorker(PATIENCE));
    } catch (thrown) {
      screen.value = toErrorReport(thrown);
    }
  }

  return {
    /** Part that is being opened, in words; empty if none is. */
    stage: computed(() =>
      current.value === null || current.value.id !== null ? '' : words[current.value.stage],
    ),
    download: computed(() => current.value?.download ?? null),
    wish,
    runClass,
    question,
    unkept,
    lastEnd,
    again,
    begin,
    /** Plans a run; null during training, or if the model's configuration cannot be read. */
    plan: (config: RunConfig): Promise<PlannedRun | null> =>
      attempt((service) => service.plan(config, wish.value).catch(() => null)),
    async start(config: RunConfig): Promise<void> {
      notice.value = null;
      const ofClass = runClass.value && { class: runClass.value };
      await begin({ config, ...ofClass, backend: wish.value, isAttended: true });
    },
    async resume(id: string): Promise<void> {
      await begin({ id, backend: wish.value, isAttended: true });
    },
    pause: () => give('pause'),
    step: () => give('step'),
    goOn: () => give('goOn'),
    stop,
    async keep(): Promise<void> {
      if (current.value !== null) await order((service) => service.command('keep'));
    },
    receive,
    workerEnded,
    watchOtherTab,
  };
}
