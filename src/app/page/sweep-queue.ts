/**
 * Runs the queue of a sweep, at any place of the page. The GPU trains one run at a time. The CPU trains several, each
 * in a separate worker. Parallel runs have the same results as sequential ones, which depend only on settings and seed.
 */
import { newId } from '../../base/digest';
import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { backendOf, type BackendWish } from '../../../workers/protocol';
import { sameModel, type RunConfig } from '../../run/config/config';
import { notBegun, secondsLeft } from '../../run/estimate';
import { expandSweep, type SweepAxes } from '../../run/sweep/sweep';
import type { RunRecord } from '../../run/record/run-record';
import type { SweepRecord } from '../../store/records';
import { stepsTaken } from '../session/run-view';
import type { Session } from '../session/session';
import type { Trainer } from '../session/trainer';
import { secondsToGo } from './planned';

export type SweepQueue = ReturnType<typeof createSweepQueue>;

/** True if a run of the queue needs no more training. A failed run would fail again. */
export const hasEnded = (run: RunRecord | undefined): boolean =>
  run?.status === 'done' || run?.status === 'failed';

/**
 * Progress of a sweep that trains here, run by run. A run that has not begun takes the time that a run of its model has
 * planned.
 *
 * @returns for each run its step, its view, or null if it does not train, and the seconds to go, or null if unknown
 */
export function progressOf(
  { trainers, runOf, trainsHere }: Pick<Session, 'trainers' | 'runOf' | 'trainsHere'>,
  { base, axes, runs }: SweepRecord,
) {
  const { steps } = base;
  const views = trainers.value.flatMap(({ view }) => view.value ?? []);
  return expandSweep(base, axes).map(({ config }, place) => {
    const kept = runOf(runs[place]);
    const view = views.find(({ id }) => id !== null && id === runs[place]) ?? null;
    const step = view === null ? (kept?.step ?? 0) : stepsTaken(view);
    // The list of runs may be stale. A run with all its steps may be in its last evaluation.
    const isOver = view !== null && step >= steps && !trainsHere(view.id!);
    if (hasEnded(kept) || isOver) return { step: steps, view: null, toGo: 0 };
    const { parts = null } = views.find((one) => sameModel(one.config, config)) ?? {};
    const toGo = view === null ? parts && secondsLeft(parts, notBegun(config)) : secondsToGo(view);
    return { step, view, toGo };
  });
}

/** Seconds until all runs end, as many at once as train now; null if unknown. */
export function secondsOfAll(runs: ReturnType<typeof progressOf>): number | null {
  const atWork = Math.max(1, runs.filter(({ view }) => view !== null).length);
  const lefts = runs.map(({ toGo }) => toGo);
  return lefts.every((left) => left !== null) ? lefts.reduce((sum, left) => sum + left / atWork, 0) : null;
}

/** @param atOnce - number of parallel runs on the CPU; on the GPU runs train one after another */
export function createSweepQueue(session: Session, atOnce = 1) {
  const { trainers } = session;
  const [own] = trainers.value;
  const sweeps = signal<readonly SweepRecord[]>([]);
  const running = signal<string | null>(null);
  /** Queue position of the run that each busy trainer has. */
  const work = new Map<Trainer, number>();
  /** Ids of runs that ended in this page. The list of runs may be stale, and storage may refuse the end of a run. */
  const over = new Set<string>();

  const sweepOf = (id: string): SweepRecord | undefined => sweeps.value.find((one) => one.id === id);

  /** Backend of a run: by rule for an embedded model. Other runs share the one that the first chose, since they are compared. */
  function backendFor({ backend, runs }: SweepRecord, { model }: RunConfig): BackendWish {
    if (backend !== undefined && backend !== 'automatic') return backend;
    if (model.kind === 'embedded') return 'wasm';
    const made = runs.map((id) => session.runOf(id)).find((run) => run !== undefined);
    return (made && backendOf(made)?.backend) ?? 'automatic';
  }

  async function keep(sweep: SweepRecord): Promise<void> {
    sweeps.value = sweeps.value.map((other) => (other.id === sweep.id ? sweep : other));
    await session.attempt((service) => service.putSweep(sweep));
  }

  /** True if this trainer may have the run at a place of the queue now. */
  function isFree(sweep: SweepRecord, config: RunConfig, place: number, isOwn: boolean): boolean {
    const id = sweep.runs[place];
    if ([...work.values()].includes(place) || hasEnded(session.runOf(id)) || over.has(id ?? '')) return false;
    // The GPU trains one run at a time, and each worker would hold another copy of a large model.
    return isOwn || (config.model.kind === 'embedded' && backendFor(sweep, config) === 'wasm');
  }

  /** Gives a run to every free trainer, and opens others. Ends the sweep if no run is left or in progress. */
  async function fill(id: string): Promise<void> {
    const sweep = sweepOf(id);
    const isHeld = ['pausing', 'paused'].includes(session.activity.value);
    if (sweep === undefined || running.value !== id || isHeld) return;
    const queue = expandSweep(sweep.base, sweep.axes);
    while (work.size < atOnce) {
      const free = trainers.value.find((trainer) => !work.has(trainer));
      const place = queue.findIndex(({ config }, at) => isFree(sweep, config, at, free === own));
      if (place < 0) break;
      const trainer = free ?? session.openTrainer();
      work.set(trainer, place);
      void train(sweep, trainer, place);
    }
    // Shows a run that trains, as long as there is one.
    const [atWork] = work.keys();
    if (atWork !== undefined && !work.has(own)) session.shown.value = atWork.view.value;
    if (work.size === 0) await halt();
  }

  /** Trains a run of the sweep to its end, and then fills its place. */
  async function train(sweep: SweepRecord, trainer: Trainer, place: number): Promise<void> {
    const { config } = expandSweep(sweep.base, sweep.axes)[place];
    // The sweep stores the id of a run before the run begins, so it finds the run after any interruption.
    const id = sweep.runs[place] ?? newId();
    const backend = backendFor(sweep, config);
    const now = sweepOf(sweep.id)!;
    await keep({ ...now, runs: now.runs.map((run, at) => (at === place ? id : run)) });
    if (running.value !== sweep.id) {
      work.delete(trainer);
      return halt();
    }
    // A run that was interrupted before its first checkpoint restarts under the same id.
    const what = session.runOf(sweep.runs[place]) === undefined ? { config, as: id } : { id };
    const run = await session.begin({ ...what, backend }, trainer);
    const end = await run?.ended;
    work.delete(trainer);
    if (end?.how === 'done' || end?.how === 'failed') over.add(id);
    // The table reports a failed run, and the others continue. Stopping a run stops the sweep.
    if (end?.how === 'failed' && session.screen.value === end.error) session.screen.value = null;
    if (running.value !== null && over.has(id)) await fill(running.value);
    else await halt();
  }

  /** Ends the sweep. Stops the runs in progress, each with a checkpoint. */
  async function halt(): Promise<void> {
    running.value = null;
    if (work.size > 0 && !['idle', 'stopping'].includes(session.activity.value)) await session.stop();
    if (work.size === 0 && running.value === null) await session.closeIdle();
  }

  // Other runs may start after a pause.
  effect(() => {
    const isOn = session.activity.value === 'running';
    untracked(() => {
      if (isOn && running.value !== null) void fill(running.value);
    });
  });

  /**
   * Starts a sweep. Several workers of one tab share one lock; without the lock nothing starts. The visitor agrees to the
   * servers before the first run, since parallel runs would each ask.
   */
  async function begin({ id, base, axes }: SweepRecord): Promise<void> {
    over.clear(); // a run may have been deleted since
    running.value = id;
    const [{ config }] = expandSweep(base, axes);
    const mayBegin = (await session.mayContact(config)) && (atOnce === 1 || (await session.share()));
    if (mayBegin) await fill(id);
    else if (running.value === id) running.value = null;
  }

  return {
    /** Newest first. */
    sweeps: sweeps as ReadonlySignal<readonly SweepRecord[]>,
    /** Id of the sweep that trains here. */
    running: running as ReadonlySignal<string | null>,
    atOnce,
    /** Seconds until the sweep that trains here ends; null if unknown. */
    secondsLeft(): number | null {
      const sweep = sweepOf(running.value ?? '');
      return sweep === undefined ? null : secondsOfAll(progressOf(session, sweep));
    },
    async refresh(): Promise<void> {
      const listed = await session.attempt((service) => service.listSweeps());
      if (listed === null) return;
      // Of the sweep that trains here, the list may have an earlier state or nothing.
      const isOwn = ({ id }: SweepRecord): boolean => id === running.value;
      const all = [...sweeps.value.filter(isOwn), ...listed.filter((sweep) => !isOwn(sweep))];
      sweeps.value = all.toSorted((a, b) => b.createdAt - a.createdAt);
    },
    async begin(base: RunConfig, axes: SweepAxes): Promise<void> {
      const sweep: SweepRecord = {
        id: newId(),
        base,
        axes,
        runs: expandSweep(base, axes).map(() => null),
        backend: session.wish.value,
        createdAt: Date.now(),
      };
      if ((await session.attempt((service) => service.putSweep(sweep))) === null) return;
      sweeps.value = [sweep, ...sweeps.value];
      await begin(sweep);
    },
    /** Resumes a sweep. Unfinished runs continue from their last checkpoints. */
    async goOn(id: string): Promise<void> {
      const sweep = sweepOf(id);
      if (sweep === undefined) return;
      const wish = session.wish.value;
      // A reload resets the form to `automatic`. Any other value was chosen since then.
      if (wish !== 'automatic') await keep({ ...sweep, backend: wish });
      await begin(sweep);
    },
    /** Stops the sweep, also between two runs, while a server or the visitor is asked. */
    async stop(): Promise<void> {
      if (session.activity.value !== 'idle') return session.stop();
      running.value = null;
      session.decline();
      session.waiting.value?.cancel();
    },
    async remove(id: string): Promise<void> {
      if ((await session.attempt((service) => service.deleteSweep(id))) !== null)
        sweeps.value = sweeps.value.filter((sweep) => sweep.id !== id);
    },
  };
}

/** Memory of one worker, with its tensors and the code of its backend. */
const WORKER_BYTES = 300e6;

/**
 * Number of parallel runs on the CPU: one per two hardware threads, which often share a core, within half of the memory.
 */
export function runsAtOnce(computer: { hardwareConcurrency?: number; deviceMemory?: number }): number {
  const { hardwareConcurrency = 2, deviceMemory = 4 } = computer; // some browsers tell no memory, in GB
  const byMemory = Math.floor((deviceMemory * 1e9) / 2 / WORKER_BYTES);
  return Math.max(1, Math.min(Math.floor(hardwareConcurrency / 2), byMemory));
}
