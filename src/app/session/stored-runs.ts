/** The list of the stored runs, the run that the page shows, and those that it overlays. The first trainer reads them. */
import { batch, signal, type ReadonlySignal } from '@preact/signals';
import * as v from 'valibot';
import { MOST_HELD } from '../../run/record/held-steps';
import { runRecordSchema } from '../../run/record/run-record';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import type { KeptRun, ListedRun } from '../../../workers/protocol';
import type { TrainerService } from '../../../workers/service';
import { stepsTaken, viewOfKept, type RunView } from './run-view';
import type { Trainer } from './trainer';

export type Ask<T> = (service: TrainerService) => Promise<T>;

/** @param trainers - at the time of a call, at least one */
export function createStoredRuns(trainers: ReadonlySignal<readonly Trainer[]>) {
  const shown = signal<RunView | null>(null);
  const runs = signal<readonly ListedRun[]>([]);
  /** IDs of runs whose records are invalid. Only the IDs can be used. */
  const unread = signal<readonly string[]>([]);
  const overlays = signal<readonly KeptRun[]>([]);
  /** Number of changes by this page to the stored and trained runs. Each change makes the other tabs refresh. */
  const changes = signal(0);
  /** Identity of the latest request to show a run. An earlier one whose run is still being read is dropped. */
  let wish = {};

  const runOf = (id: string | null): ListedRun | undefined => runs.value.find((run) => run.id === id);
  const trainerOf = (id: string): Trainer | undefined =>
    trainers.value.find(({ current, view }) => current.value !== null && view.value?.id === id);

  /** Asks the worker that holds the run: its own if storage lacks a part, otherwise the first. */
  function attemptOn<T>(id: string | null, ask: Ask<T>): Promise<T | null> {
    const holder = trainers.value.find((trainer) => id !== null && trainer.unkept.value.includes(id));
    return (holder ?? trainers.value[0]).attempt(ask);
  }

  /** Runs of the other trainers that storage has refused. */
  async function refusedElsewhere(): Promise<ListedRun[]> {
    const others = trainers.value.slice(1).filter((trainer) => trainer.unkept.value.length > 0);
    const lists = others.map(async (trainer) => {
      const listed = (await trainer.attempt((service) => service.listRuns())) ?? [];
      return listed.filter(({ id }) => trainer.unkept.value.includes(id));
    });
    return (await Promise.all(lists)).flat();
  }

  async function refreshRuns(): Promise<void> {
    const [listed, refused] = await Promise.all([
      attemptOn(null, (service) => service.listRuns()),
      refusedElsewhere(),
    ]);
    if (listed === null && refused.length === 0) return;
    const isRefused = ({ id }: ListedRun): boolean => refused.some((run) => run.id === id);
    const found = [...refused, ...(listed ?? runs.value).filter((run) => !isRefused(run))];
    const isRead = (run: ListedRun): boolean => v.is(runRecordSchema, run);
    const before = runOf(shown.value?.id ?? null);
    batch(() => {
      unread.value = found.flatMap((run) => (isRead(run) ? [] : [run.id]));
      runs.value = found.filter(isRead);
      const id = shown.value?.id ?? null;
      if (id !== null && trainerOf(id) === undefined && runOf(id) === undefined) shown.value = null;
    });
    if (before?.trainsElsewhere === true && runOf(before.id)?.trainsElsewhere !== true)
      void reread(before.id);
  }

  /** Reads the shown run again, since its view lacks the steps that another tab has trained. */
  async function reread(id: string): Promise<void> {
    const own = wish;
    const view = runOf(id) && (await viewOf(id));
    if (view && wish === own && shown.value?.id === id && trainerOf(id) === undefined) shown.value = view;
  }

  /** Refreshes the list after a change by this page. */
  function changed(): Promise<void> {
    changes.value += 1;
    return refreshRuns();
  }

  /** Reads the steps of a long run in parts. The page can render between two parts. */
  const history = (id: string): Promise<KeptRun | null> =>
    attemptOn(id, async (service) => {
      const { stepCount = 0, ...run } = await service.getRun(id);
      const steps = [...run.steps];
      while (steps.length < stepCount) {
        const part = await service.getSteps(id, steps.length);
        if (part.length === 0) break; // another tab has deleted it
        steps.push(...part);
      }
      return { ...run, steps };
    });

  /** Returns the rollouts of one step that are drawn in a picture. */
  async function drawnRollouts(id: string, step: number): Promise<readonly Rollout[]> {
    return (await attemptOn(id, (service) => service.getRollouts(id, step, true))) ?? [];
  }

  async function viewOf(id: string): Promise<RunView | null> {
    const run = await history(id);
    return run && viewOfKept('kept', run, { rolloutsAt: (step) => drawnRollouts(id, step) });
  }

  /** Without a run, nothing remains to compare. */
  function show(view: RunView | null): void {
    if (view === null) overlays.value = [];
    wish = {};
    shown.value = view;
  }

  async function open(id: string): Promise<void> {
    const own = (wish = {});
    const view = trainerOf(id)?.view.value ?? (await viewOf(id));
    if (view !== null && wish === own) shown.value = view;
  }

  return {
    ...{ shown, runs, unread, overlays, changes, attemptOn, refreshRuns, changed },
    ...{ runOf, history, drawnRollouts, viewOf, show, open },
    /** True if a trainer of this page trains the run. */
    trainsHere: (id: string): boolean => trainerOf(id) !== undefined,
    /** All records of a run; the view of a long run holds some of them. Null if they cannot be read. */
    allRecords: async (view: RunView): Promise<readonly StepRecord[] | null> =>
      view.id === null || stepsTaken(view) <= MOST_HELD
        ? view.records.value
        : ((await history(view.id))?.steps ?? null),
    async remove(id: string): Promise<void> {
      if ((await attemptOn(id, (service) => service.deleteRun(id))) !== null) await changed();
    },
    async toggleOverlay(id: string): Promise<void> {
      const others = () => overlays.value.filter((overlay) => overlay.record.id !== id);
      const found = others().length < overlays.value.length ? null : await history(id);
      // Another run may have been added while this one was read.
      overlays.value = found === null ? others() : [...others(), found];
    },
  };
}
