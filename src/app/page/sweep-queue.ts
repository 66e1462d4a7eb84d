/**
 * Runs the queue of a sweep, at any place of the page. The GPU trains one run at a time. The CPU trains several, each
 * in a separate worker. Parallel runs have the same results as sequential ones, which depend only on settings and seed.
 */
import { newId } from '../../base/digest';
import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { backendOf, type BackendWish } from '../../../workers/protocol';
import { sameModel, type RunConfig } from '../../run/config/config';
import type { SweepAxes } from '../../run/sweep/sweep';
import type { RunRecord } from '../../run/record/run-record';
import type { SweepRecord } from '../../store/records';
import type { ParallelSessions } from '../session/parallel-sessions';
import type { Session } from '../session/session';
import type { EndOfRun } from '../session/training';

export type SweepQueue = ReturnType<typeof createSweepQueue>;

/** True if a run of the queue needs no more training. A failed run would fail again. */
export function hasEnded(run: RunRecord | undefined): boolean {
  return run !== undefined && (run.status === 'done' || run.status === 'failed');
}

/** @param workers - initial number of parallel runs on the CPU */
export function createSweepQueue(sessions: ParallelSessions, workers = 1) {
  const { all, together: session } = sessions;
  const [own] = all.value;
  const sweeps = signal<readonly SweepRecord[]>([]);
  const running = signal<string | null>(null);
  const atOnce = signal(workers);
  /** Sessions of the sweep. Other sessions may be open because they hold runs that storage refused. */
  let hands = [own];
  /** Queue position of the run that each busy session trains. */
  const work = new Map<Session, number>();
  /** Last processed end of each session. */
  const dealtWith = new Map<Session, EndOfRun | null>();
  /** Ids of runs that ended in this page. The list of runs may be stale, and storage may refuse the end of a run. */
  const over = new Set<string>();

  const sweepOf = (id: string): SweepRecord | undefined => sweeps.value.find((one) => one.id === id);

  /** Backend of a run. Runs of one model share the backend that the first one chose, since they are compared. */
  function backendFor(sweep: SweepRecord, config: RunConfig): BackendWish {
    const asked = sweep.backend === 'automatic' ? undefined : sweep.backend;
    if (asked !== undefined) return asked;
    const isOfIt = (id: string | null, of: RunConfig): boolean =>
      id !== null && sweep.runs.includes(id) && sameModel(of, config);
    const view = all.value
      .map(({ shown }) => shown.value)
      .find((shown) => shown !== null && isOfIt(shown.id, shown.config));
    const made = session.runs.value.findLast((run) => isOfIt(run.id, run.config));
    const chosen = view?.backend ?? (made && backendOf(made));
    return chosen?.backend ?? 'automatic';
  }

  async function keep(sweep: SweepRecord): Promise<void> {
    sweeps.value = sweeps.value.map((other) => (other.id === sweep.id ? sweep : other));
    await session.order((service) => service.putSweep(sweep));
  }

  const runAt = ({ runs }: SweepRecord, place: number): RunRecord | undefined => session.runOf(runs[place]);

  /** First queue position that this session may train now; -1 if there is none. */
  function placeFor(sweep: SweepRecord, queue: readonly { config: RunConfig }[], isOwn: boolean): number {
    const taken = new Set(work.values());
    return queue.findIndex(({ config }, place) => {
      if (taken.has(place) || hasEnded(runAt(sweep, place)) || over.has(sweep.runs[place] ?? ''))
        return false;
      const backend = backendFor(sweep, config);
      // Other runs would distort the timing that chooses a backend, and the GPU trains one run at a time.
      if (backend === 'automatic' || backend === 'webgpu') return isOwn && work.size === 0;
      // Each worker would hold another copy of a large model.
      return isOwn || config.model.kind === 'embedded';
    });
  }

  /** Starts a run in every free session. Ends the sweep if no run is left or in progress. */
  async function fill(id: string): Promise<void> {
    const { expandSweep } = await import('../../run/sweep/sweep');
    const sweep = sweepOf(id);
    const isHeld = all.value.some(({ activity }) => ['pausing', 'paused'].includes(activity.value));
    if (sweep === undefined || running.value !== id || isHeld) return;
    const queue = expandSweep(sweep.base, sweep.axes);
    const starts: Promise<void>[] = [];
    /** @param hand - null opens another session */
    const give = (hand: Session | null): boolean => {
      const place = placeFor(sweep, queue, hand === own);
      if (place < 0) return false;
      const taker = hand ?? sessions.open();
      if (hand === null) hands.push(taker);
      work.set(taker, place);
      starts.push(start(sweep, taker, place, queue[place].config));
      return true;
    };
    for (const hand of hands) if (!work.has(hand)) give(hand);
    while (hands.length < atOnce.value && give(null));
    // Shows a run that trains, as long as there is one.
    const [atWork] = work.keys();
    if (atWork !== undefined && !work.has(own)) own.shown.value = atWork.shown.value;
    if (work.size === 0) await halt();
    await Promise.all(starts);
  }

  async function start(sweep: SweepRecord, hand: Session, place: number, config: RunConfig): Promise<void> {
    // The sweep stores the id of a run before the run begins, so it finds the run after any interruption.
    const id = sweep.runs[place] ?? newId();
    const backend = backendFor(sweep, config);
    dealtWith.set(hand, hand.lastEnd.value);
    const now = sweepOf(sweep.id)!;
    await keep({ ...now, runs: now.runs.map((run, at) => (at === place ? id : run)) });
    // A run that was interrupted before its first checkpoint restarts under the same id.
    const what = runAt(sweep, place) === undefined ? { config, as: id } : { id };
    const started = await hand.begin({ ...what, backend });
    if (started === null) {
      work.delete(hand);
      if (hand !== own && running.value !== null) session.screen.value = hand.screen.value;
      await halt();
    }
  }

  /** Ends the sweep. Stops the runs in progress, each with a checkpoint. */
  async function halt(): Promise<void> {
    running.value = null;
    // `session` is all sessions as one: its stop reaches every run in progress.
    if (work.size > 0 && !['idle', 'stopping'].includes(session.activity.value)) await session.stop();
    if (work.size > 0 || running.value !== null) return;
    hands = [own];
    await sessions.close();
  }

  async function ended(hand: Session, end: EndOfRun): Promise<void> {
    work.delete(hand);
    if (end.how === 'done' || end.how === 'failed') over.add(end.id);
    // The table reports a failed run, and the others continue. Stopping a run stops the sweep.
    if (end.how === 'failed') hand.screen.value = null;
    const id = running.value;
    if (id !== null && over.has(end.id)) await fill(id);
    else await halt();
  }

  effect(() => {
    const ends = all.value.map((hand) => ({ hand, end: hand.lastEnd.value }));
    untracked(() => {
      for (const { hand, end } of ends) {
        if (end === null || !work.has(hand) || dealtWith.get(hand) === end) continue;
        dealtWith.set(hand, end);
        void ended(hand, end);
      }
    });
  });
  // Other runs may start once the first run has chosen the backend, or after a pause.
  effect(() => {
    const isOn = session.activity.value === 'running';
    untracked(() => {
      if (isOn && running.value !== null) void fill(running.value);
    });
  });

  /** Starts a sweep. Several workers of one tab share one lock; without the lock nothing starts. */
  async function begin(id: string): Promise<void> {
    running.value = id;
    if (atOnce.value === 1 || (await sessions.share())) await fill(id);
    else running.value = null;
  }

  return {
    /** Newest first. */
    sweeps: sweeps as ReadonlySignal<readonly SweepRecord[]>,
    /** Id of the sweep that trains here. */
    running: running as ReadonlySignal<string | null>,
    /** Number of parallel runs on the CPU. */
    atOnce,
    async refresh(): Promise<void> {
      sweeps.value = (await session.attempt((service) => service.listSweeps())) ?? [];
    },
    async begin(base: RunConfig, axes: SweepAxes): Promise<void> {
      const { expandSweep } = await import('../../run/sweep/sweep');
      const sweep: SweepRecord = {
        id: newId(),
        base,
        axes,
        runs: expandSweep(base, axes).map(() => null),
        backend: session.wish.value,
        createdAt: Date.now(),
      };
      if (!(await session.order((service) => service.putSweep(sweep)))) return;
      sweeps.value = [sweep, ...sweeps.value];
      await begin(sweep.id);
    },
    /** Resumes a sweep. Unfinished runs continue from their last checkpoints. */
    async goOn(id: string): Promise<void> {
      const sweep = sweepOf(id);
      if (sweep === undefined) return;
      const wish = session.wish.value;
      // A reload resets the form to `automatic`. Any other value was chosen since then.
      if (wish !== 'automatic') await keep({ ...sweep, backend: wish });
      await begin(id);
    },
    async remove(id: string): Promise<void> {
      if (await session.order((service) => service.deleteSweep(id)))
        sweeps.value = sweeps.value.filter((sweep) => sweep.id !== id);
    },
  };
}

/** Memory of one worker, with its tensors and the code of its backend. */
const WORKER_BYTES = 300e6;
/** Assumed memory in GB if the browser does not report it. */
const COMMON_MEMORY = 4;

interface Computer {
  hardwareConcurrency?: number;
  /** In GB; missing in some browsers. */
  deviceMemory?: number;
}

/** Maximum number of parallel runs on the CPU: one per hardware thread, within half of the memory. */
export function mostAtOnce({ hardwareConcurrency = 2, deviceMemory = COMMON_MEMORY }: Computer): number {
  const byMemory = Math.floor((deviceMemory * 1e9) / 2 / WORKER_BYTES);
  return Math.max(1, Math.min(hardwareConcurrency, byMemory));
}

/** Default number of parallel runs: one per two hardware threads, which often share a core. */
export function usualAtOnce(computer: Computer): number {
  const { hardwareConcurrency = 2 } = computer;
  return Math.max(1, Math.min(Math.floor(hardwareConcurrency / 2), mostAtOnce(computer)));
}
