/**
 * One worker with its run: opens the worker, begins the run, follows its state, and resumes it after a lost device. The next
 * question after the end of a worker opens another.
 */
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { proxy } from 'comlink';
import { MarbleError, toErrorReport, type ErrorReport } from '../../base/error';
import { afterAwake } from '../../base/waits';
import type { Rollout } from '../../run/record/rollout-record';
import type {
  Capabilities,
  LockRole,
  RunCommand,
  RunEnd,
  RunRequest,
  RunState,
  WorkerEvent,
} from '../../../workers/protocol';
import type { TrainerService } from '../../../workers/service';
import { paced } from './paced';
import { viewOfKept, type BegunRun, type EndOfRun, type RunView } from './run-view';
import type { createVisitor } from './visitor';
import { ask, PATIENCE, PATIENCE_WHILE_READING, type OpenPort, type TrainerPort } from './worker-port';

export type Trainer = ReturnType<typeof createTrainer>;

export interface TrainerOptions extends Pick<ReturnType<typeof createVisitor>, 'tell' | 'screen' | 'notice'> {
  openPort: OpenPort;
  base: string;
  /** Files that the visitor has chosen, for each new worker; null if none. */
  chosenFiles: () => Record<string, File> | null;
  /** Resolves after the page has drawn the last events. */
  drawn: () => Promise<void>;
  /** True if the storage has all runs of all trainers. */
  isAllKept: () => boolean;
  /** Receives the view of a run that is open. */
  onRun: (view: RunView) => void;
  refreshRuns: () => Promise<void>;
  /** Returns the rollouts of one step that are drawn in a picture. */
  drawnRollouts: (id: string, step: number) => Promise<readonly Rollout[]>;
  /** Like `refreshRuns`, after a run has begun or ended. */
  changed: () => Promise<void>;
  /** Asks the browser once not to clear this page's storage when its disk runs low. */
  keepStorage: () => Promise<boolean>;
}

/** Errors of a storage that refuses a run. Their notice closes once the run is stored. */
const ofRefusal = ['store/full', 'store/unavailable'];

/** Window in milliseconds. After three losses within it another attempt would probably lose the device again. */
const LOSS_WINDOW = 10 * 60_000;
const LOSSES_ALLOWED = 3;

const stateAfter = {
  pause: 'pausing',
  step: 'pausing',
  goOn: 'running',
  stop: 'stopping',
  keep: null,
} as const;

export function createTrainer(options: TrainerOptions) {
  const { screen, notice, tell, isAllKept, onRun, refreshRuns, drawnRollouts, changed, keepStorage } =
    options;
  const { openPort, base, chosenFiles, drawn } = options;
  /** The state that the worker sent last, or that a command will lead to. Null before the first run. */
  const state = signal<RunState | null>(null);
  /** The state of the run that trains here; null without one. */
  const current = computed(() => (state.value?.is === 'ended' ? null : state.value));
  /** IDs of the worker's runs that are not fully stored. Closing the worker loses the rest of them. */
  const unkept = computed(() => state.value?.unkept ?? []);
  /** View of the last run that was open here; null until a new one is. */
  const view = signal<RunView | null>(null);
  /** The last request, repeated after a lost device. */
  let requested: RunRequest | null = null;
  let onEnded: (end: EndOfRun) => void = () => undefined;
  const losses: number[] = [];
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
        else if (!isOver && watched !== null) {
          const message = `The trainer did not answer for ${patience / 1000} seconds and was closed.`;
          const nextStep =
            'Its work may never end, as with a damaged or hostile model. A kept run can be resumed.';
          giveUp(watched, new MarbleError('app/worker-silent', message, nextStep));
        }
      }
    };
    void watch();
    return answer;
  }

  function opened(): Promise<TrainerPort> {
    if (opening !== null) return opening;
    if (port !== null) return Promise.resolve(port);
    opening = connected().finally(() => (opening = null));
    return opening;
  }

  async function connected(): Promise<TrainerPort> {
    const fresh = openPort();
    port = fresh;
    fresh.ended.catch((thrown: unknown) => giveUp(fresh, thrown));
    const deliver = paced((events) => {
      if (port === fresh) receive(events);
    }, drawn);
    capabilities.value = await ask(fresh, (service) => service.connect(base, proxy(deliver)));
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
    workerEnded(thrown);
  }

  /** Closes the worker, which releases its lock and its GPU. */
  function close(): void {
    const old = port;
    port = null;
    old?.close();
  }

  function receive(events: readonly WorkerEvent[]): void {
    batch(() => events.forEach(take));
    if (events.some(({ type }) => type === 'kept')) void refreshRuns();
  }

  function take(event: WorkerEvent): void {
    if (event.type === 'state') follow(event.state);
    else if (event.type === 'storage') notice.value = event.error;
    else if (event.type === 'kept') void keepStorage();
    else if (event.type === 'run') {
      const { kept, parts } = event;
      const rolloutsAt = (step: number) => drawnRollouts(kept.record.id, step);
      view.value = viewOfKept('live', kept, { parts, rolloutsAt });
      onRun(view.value);
      void changed();
    } else view.value?.take(event);
  }

  /** Applies a state that the worker has sent. The worker sends the state of an ended run again when the run is stored or deleted. */
  function follow(next: RunState): void {
    const before = unkept.value;
    const run = current.value;
    const hasRun = run !== null;
    // The state of an earlier run may cross with the request for this one.
    const isEarlier = next.is === 'ended' && hasRun && next.id !== null && next.id !== run.id;
    state.value = isEarlier ? { ...run, unkept: next.unkept } : next;
    if (before.length > 0 && isAllKept() && ofRefusal.includes(notice.value?.code ?? '')) notice.value = null;
    if (before.join() !== next.unkept.join()) void refreshRuns();
    if (next.is !== 'ended' || !hasRun || isEarlier) return;
    if (next.error?.code === 'gpu/device-lost') return void recover(next.id, next.error);
    tellEnd(next.id, next);
    screen.value = next.error ?? screen.value;
  }

  /** Ends a run that its worker does not end. */
  function end(how: RunEnd['how']): void {
    if (current.value !== null) follow({ ...current.value, is: 'ended', how });
  }

  /** Handles the end of the worker, which loses everything that only its memory held. A run that was stopping counts as stopped. */
  function workerEnded(thrown: unknown): void {
    const isStopping = current.value?.is === 'stopping';
    if (state.value !== null) state.value = { ...state.value, unkept: [] };
    end(isStopping ? 'stopped' : 'lost');
    (isStopping ? notice : screen).value = toErrorReport(thrown);
  }

  /** @param id - null for a run that was never open */
  function tellEnd(id: string | null, { how, error }: RunEnd): void {
    if (id === null) return;
    onEnded({ id, how, error });
    void changed();
  }

  /**
   * Resumes the run from its last checkpoint in a new worker, since a lost device never returns. If storage has refused part of
   * a run, the worker stays open, so the visitor can save it.
   */
  async function recover(id: string | null, error: ErrorReport): Promise<void> {
    const isStored = unkept.value.length === 0;
    if (isStored) close();
    const now = performance.now();
    losses.push(now);
    const recent = losses.filter((time) => now - time < LOSS_WINDOW).length;
    if (id === null || requested === null || !isStored || recent >= LOSSES_ALLOWED) {
      tellEnd(id, { how: 'lost' });
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
    const told = { ...error, nextStep: 'Marble opens it again and goes on from the last checkpoint.' };
    notice.value = told;
    const { backend, isAttended } = requested;
    if ((await open({ id, backend, isAttended })) !== null) return;
    tellEnd(id, { how: 'lost' });
    if (notice.value === told) notice.value = error;
  }

  /** @returns the ID of the run; null if it cannot begin, with the error on the screen */
  async function open(request: RunRequest): Promise<string | null> {
    requested = request;
    state.value = { is: 'opening', id: null, stage: 'hardware', download: null, unkept: unkept.value };
    const id = await attemptInTime((service) => service.start(request));
    if (id === null) end('failed');
    return id;
  }

  return {
    capabilities,
    attempt,
    close,
    current,
    unkept,
    view: view as ReadonlySignal<RunView | null>,
    async begin(request: RunRequest): Promise<BegunRun | null> {
      view.value = null;
      const ended = new Promise<EndOfRun>((resolve) => (onEnded = resolve));
      const id = await open(request);
      return id === null ? null : { id, ended };
    },
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
    /** Shows the state after the command immediately, since a busy worker answers late. */
    async command(name: RunCommand): Promise<void> {
      const is = stateAfter[name];
      if (current.value !== null && is !== null) state.value = { ...current.value, is };
      if (name === 'stop') await attemptInTime((service) => service.command(name), PATIENCE);
      else await attempt((service) => service.command(name));
    },
  };
}

function silence(milliseconds: number): Promise<null> {
  return new Promise((resolve) => void afterAwake(milliseconds, () => resolve(null)));
}
