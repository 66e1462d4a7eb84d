/** Runs the queue of a sweep, one run after another, whichever place the visitor looks at. */
import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import type { BackendWish, ChosenBackend } from '../../../workers/protocol';
import type { RunConfig } from '../../run/config';
import type { SweepAxes } from '../../run/sweep';
import type { RunRecord } from '../../run/run-record';
import type { SweepRecord } from '../../store/records';
import { sameConfig } from '../draft';
import type { Session } from '../session/session';
import { sameModel } from './estimate';

export interface SweepQueue {
  /** Newest first. */
  readonly sweeps: ReadonlySignal<readonly SweepRecord[]>;
  /** The sweep whose runs are being made here. */
  readonly running: ReadonlySignal<string | null>;
  refresh(): Promise<void>;
  begin(base: RunConfig, axes: SweepAxes): Promise<void>;
  /** Goes on with the first run that has not ended, from its last checkpoint. */
  goOn(id: string): Promise<void>;
  /** Its runs stay. */
  remove(id: string): Promise<void>;
}

/** Whether a run of the queue needs no more training; one that failed would fail again. */
export function hasEnded(run: RunRecord | undefined): boolean {
  return run !== undefined && (run.status === 'done' || run.status === 'failed');
}

export function createSweepQueue(session: Session): SweepQueue {
  const sweeps = signal<readonly SweepRecord[]>([]);
  const running = signal<string | null>(null);
  /** Runs that have failed in this page: where the storage did not take that, they are not tried again and again. */
  const failed = new Set<string>();

  /** Runs of one model are compared, so they share a backend: what was fastest for the first is taken for the rest. */
  function backendFor(sweep: SweepRecord, config: RunConfig): BackendWish {
    const { backend = 'automatic' } = sweep;
    if (backend !== 'automatic') return backend;
    const made = session.runs.value.findLast(
      (run) => sweep.runs.includes(run.id) && sameModel(run.config, config),
    );
    return (made?.machine.backend as ChosenBackend | undefined)?.backend ?? 'automatic';
  }

  async function keep(sweep: SweepRecord): Promise<void> {
    sweeps.value = sweeps.value.map((other) => (other.id === sweep.id ? sweep : other));
    await session.keepSweep(sweep);
  }

  async function next(id: string): Promise<void> {
    const sweep = sweeps.value.find((one) => one.id === id);
    if (sweep === undefined) return;
    const { expandSweep } = await import('../../run/sweep');
    const queue = expandSweep(sweep.base, sweep.axes);
    const runOf = (index: number): RunRecord | undefined =>
      session.runs.value.find((run) => run.id === sweep.runs[index]);
    const index = queue.findIndex(
      (_, place) => !hasEnded(runOf(place)) && !failed.has(sweep.runs[place] ?? ''),
    );
    if (index < 0) {
      running.value = null;
      return;
    }
    running.value = id;
    const config = queue[index].config;
    // A page that closes just after a run begins leaves it without its place in the sweep.
    const begun =
      runOf(index) ??
      session.runs.value.find(
        (run) =>
          !sweep.runs.includes(run.id) &&
          run.createdAt >= sweep.createdAt &&
          !hasEnded(run) &&
          sameConfig(run.config, config),
      );
    // One that was cut off before its first checkpoint begins again under its own id.
    const backend = backendFor(sweep, config);
    const started =
      begun === undefined ? await session.train(config, backend) : await session.resume(begun.id, backend);
    if (started === null) running.value = null;
    else await keep({ ...sweep, runs: sweep.runs.map((run, place) => (place === index ? started : run)) });
  }

  effect(() => {
    const end = session.lastEnd.value;
    untracked(() => {
      const id = running.value;
      if (end === null || id === null) return;
      // A run that fails is told beside the table; the others go on. Whoever stops a run stops the sweep.
      if (end.how === 'failed') {
        failed.add(end.id);
        session.screen.value = null;
      }
      if (end.how === 'done' || end.how === 'failed') void next(id);
      else running.value = null;
    });
  });

  return {
    sweeps,
    running,
    async refresh() {
      sweeps.value = await session.sweeps();
    },
    async begin(base, axes) {
      const { expandSweep } = await import('../../run/sweep');
      const sweep: SweepRecord = {
        id: crypto.randomUUID(),
        base,
        axes,
        runs: expandSweep(base, axes).map(() => null),
        backend: session.wish.value,
        createdAt: Date.now(),
      };
      if (!(await session.keepSweep(sweep))) return;
      sweeps.value = [sweep, ...sweeps.value];
      await next(sweep.id);
    },
    async goOn(id) {
      const sweep = sweeps.value.find((one) => one.id === id);
      const wish = session.wish.value;
      // After a reload the form says `automatic` again; whatever else it says has been chosen since.
      if (sweep !== undefined && wish !== 'automatic') await keep({ ...sweep, backend: wish });
      await next(id);
    },
    async remove(id) {
      if (await session.removeSweep(id)) sweeps.value = sweeps.value.filter((sweep) => sweep.id !== id);
    },
  };
}
