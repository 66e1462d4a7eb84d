/**
 * Runs the queue of a sweep, whichever place the visitor looks at: on the GPU one run after another, on the CPU several at
 * once, each in a worker of its own. A run's rows are the same either way: they follow from its seed.
 */
import { newId } from '../../base/digest';
import { effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals';
import { backendOf, offeredBackend, type BackendWish } from '../../../workers/protocol';
import { sameModel, type RunConfig } from '../../run/config/config';
import type { SweepAxes } from '../../run/sweep/sweep';
import type { RunRecord } from '../../run/record/run-record';
import type { SweepRecord } from '../../store/records';
import { sameConfig } from '../../run/config/fields';
import type { ParallelSessions } from '../session/parallel-sessions';
import type { Session } from '../session/session';
import type { EndOfRun } from '../session/training';

export interface SweepQueue {
  /** Newest first. */
  readonly sweeps: ReadonlySignal<readonly SweepRecord[]>;
  /** The sweep whose runs are being made here. */
  readonly running: ReadonlySignal<string | null>;
  refresh(): Promise<void>;
  begin(base: RunConfig, axes: SweepAxes): Promise<void>;
  /** Runs that are made at once where they are made on the CPU. */
  readonly atOnce: Signal<number>;
  /** Goes on with the runs that have not ended, from their last checkpoints. */
  goOn(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Whether a run of the queue needs no more training; one that failed would fail again. */
export function hasEnded(run: RunRecord | undefined): boolean {
  return run !== undefined && (run.status === 'done' || run.status === 'failed');
}

/** @param workers - runs at once on the CPU, until the visitor says otherwise */
export function createSweepQueue(sessions: ParallelSessions, workers = 1): SweepQueue {
  const { all, together: session } = sessions;
  const [own] = all.value;
  const sweeps = signal<readonly SweepRecord[]>([]);
  const running = signal<string | null>(null);
  const atOnce = signal(workers);
  /** Sessions that the sweep uses. Others may be open because they hold runs that storage has refused. */
  let hands = [own];
  /** The sessions that train a run of the sweep, and its place in the queue. */
  const work = new Map<Session, number>();
  /** The last end of each that has been dealt with. */
  const dealtWith = new Map<Session, EndOfRun | null>();
  /** Runs that have ended in this page: the list of runs may be older, and a storage may not take an end. */
  const over = new Set<string>();

  const sweepOf = (id: string): SweepRecord | undefined => sweeps.value.find((one) => one.id === id);

  /** Runs of one model are compared, so they share a backend: what was fastest for the first is taken for the rest. */
  function backendFor(sweep: SweepRecord, config: RunConfig): BackendWish {
    const asked = sweep.backend === 'automatic' ? undefined : offeredBackend(sweep.backend);
    if (asked !== undefined) return asked;
    const isOfIt = (id: string | null, of: RunConfig): boolean =>
      id !== null && sweep.runs.includes(id) && sameModel(of, config);
    const view = all.value
      .map(({ shown }) => shown.value)
      .find((shown) => shown !== null && isOfIt(shown.id, shown.config));
    const made = session.runs.value.findLast((run) => isOfIt(run.id, run.config));
    const chosen = view?.backend ?? (made && backendOf(made));
    return offeredBackend(chosen?.backend) ?? 'automatic';
  }

  async function keep(sweep: SweepRecord): Promise<void> {
    sweeps.value = sweeps.value.map((other) => (other.id === sweep.id ? sweep : other));
    await session.order((service) => service.putSweep(sweep));
  }

  const runAt = ({ runs }: SweepRecord, place: number): RunRecord | undefined => session.runOf(runs[place]);

  /** The first place of the queue that this session may take now; -1 where there is none. */
  function placeFor(sweep: SweepRecord, queue: readonly { config: RunConfig }[], isOwn: boolean): number {
    const taken = new Set(work.values());
    return queue.findIndex(({ config }, place) => {
      if (taken.has(place) || hasEnded(runAt(sweep, place)) || over.has(sweep.runs[place] ?? ''))
        return false;
      const backend = backendFor(sweep, config);
      // A timing beside other runs would not be one, and the GPU is one for all.
      if (backend === 'automatic' || backend === 'webgpu') return isOwn && work.size === 0;
      // A model from elsewhere would be held once for each worker.
      return isOwn || config.model.kind === 'embedded';
    });
  }

  /** Gives every free session its next run, and ends the sweep where nothing is left and nothing at work. */
  async function fill(id: string): Promise<void> {
    const { expandSweep } = await import('../../run/sweep/sweep');
    const sweep = sweepOf(id);
    const isHeld = all.value.some(({ activity }) => ['pausing', 'paused'].includes(activity.value));
    if (sweep === undefined || running.value !== id || isHeld) return;
    const queue = expandSweep(sweep.base, sweep.axes);
    const starts: Promise<void>[] = [];
    /** @param hand - null for one more */
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
    // What is on show is at work, as long as anything is.
    const [atWork] = work.keys();
    if (atWork !== undefined && !work.has(own)) own.shown.value = atWork.shown.value;
    if (work.size === 0) await halt();
    await Promise.all(starts);
  }

  async function start(sweep: SweepRecord, hand: Session, place: number, config: RunConfig): Promise<void> {
    // A page that closes just after a run begins leaves it without its place in the sweep.
    const begun =
      runAt(sweep, place) ??
      session.runs.value.find(
        (run) =>
          !sweep.runs.includes(run.id) &&
          run.createdAt >= sweep.createdAt &&
          !hasEnded(run) &&
          !sessions.trainsHere(run.id) &&
          sameConfig(run.config, config),
      );
    const backend = backendFor(sweep, config);
    dealtWith.set(hand, hand.lastEnd.value);
    // One that was cut off before its first checkpoint begins again under its own id.
    const what = begun === undefined ? { config } : { id: begun.id };
    const started = await hand.begin({ ...what, backend });
    if (started === null) {
      work.delete(hand);
      if (hand !== own && running.value !== null) session.screen.value = hand.screen.value;
      await halt();
      return;
    }
    const now = sweepOf(sweep.id)!;
    await keep({ ...now, runs: now.runs.map((run, at) => (at === place ? started : run)) });
  }

  /** No further run is begun; what is at work is stopped, each with a checkpoint. */
  async function halt(): Promise<void> {
    running.value = null;
    // A stop reaches all that are at work.
    if (work.size > 0 && !['idle', 'stopping'].includes(session.activity.value)) await session.stop();
    if (work.size > 0 || running.value !== null) return;
    hands = [own];
    await sessions.close();
  }

  async function ended(hand: Session, end: EndOfRun): Promise<void> {
    work.delete(hand);
    if (end.how === 'done' || end.how === 'failed') over.add(end.id);
    // A run that fails is told beside the table; the others go on. Whoever stops a run stops the sweep.
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
  // The first run's backend is known as soon as it trains; and after a pause there may be a place to fill.
  effect(() => {
    const isOn = session.activity.value === 'running';
    untracked(() => {
      if (isOn && running.value !== null) void fill(running.value);
    });
  });

  /** Several workers of one tab train under one lock; where it cannot be had, nothing begins. */
  async function begin(id: string): Promise<void> {
    running.value = id;
    if (atOnce.value === 1 || (await sessions.share())) await fill(id);
    else running.value = null;
  }

  return {
    sweeps,
    running,
    atOnce,
    async refresh() {
      sweeps.value = (await session.attempt((service) => service.listSweeps())) ?? [];
    },
    async begin(base, axes) {
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
    async goOn(id) {
      const sweep = sweepOf(id);
      if (sweep === undefined) return;
      const wish = session.wish.value;
      // After a reload the form says `automatic` again; whatever else it says has been chosen since.
      if (wish !== 'automatic') await keep({ ...sweep, backend: wish });
      await begin(id);
    },
    async remove(id) {
      if (await session.order((service) => service.deleteSweep(id)))
        sweeps.value = sweeps.value.filter((sweep) => sweep.id !== id);
    },
  };
}

/** Half of what the page may think to have: a worker with its tensors and the code of its backend. */
const WORKER_BYTES = 300e6;
/** Where the browser does not say, in GB. */
const COMMON_MEMORY = 4;

interface Computer {
  hardwareConcurrency?: number;
  /** GB; not all browsers say. */
  deviceMemory?: number;
}

/** The most runs that may be made at once on the CPU: one for each hardware thread, as far as half of the memory goes. */
export function mostAtOnce({ hardwareConcurrency = 2, deviceMemory = COMMON_MEMORY }: Computer): number {
  const byMemory = Math.floor((deviceMemory * 1e9) / 2 / WORKER_BYTES);
  return Math.max(1, Math.min(hardwareConcurrency, byMemory));
}

/** What is taken unless the visitor says otherwise: one for each two hardware threads, which often share a core. */
export function usualAtOnce(computer: Computer): number {
  const { hardwareConcurrency = 2 } = computer;
  return Math.max(1, Math.min(Math.floor(hardwareConcurrency / 2), mostAtOnce(computer)));
}
