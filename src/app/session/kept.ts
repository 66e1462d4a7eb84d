/** Runs stored in this browser, with their records and files, and the run that the page shows. */
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import * as v from 'valibot';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { Files } from '../../export/open/trained-files';
import type { RunConfig } from '../../run/config/config';
import { runRecordSchema, type RunNotes } from '../../run/record/run-record';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import type { ImportedRun } from '../../store/keep-run';
import type { Opening } from '../../../workers/dataset-protocol';
import type { KeptRun, ListedRun, RunState, TrainerService, WorkerEvent } from '../../../workers/protocol';
import { MOST_HELD } from '../../run/record/held-steps';
import { stepsTaken, viewOfKept, type Activity, type Origin, type RunView } from './run-view';
import type { MayContact } from './consent';
import type { Waiting } from './waiting';
import type { WorkerLink } from './worker-link';

/** Does not name the run, which the page shows at the same time. */
const keptAlready: ErrorReport = {
  code: 'app/kept-already',
  message: 'The run in this file is kept in this browser already.',
  nextStep: 'It has been opened, and nothing was added.',
};

const leftOut = (fields: readonly string[]): ErrorReport => ({
  code: 'app/fields-ignored',
  message: `The file holds fields that this version no longer has and leaves out: ${fields.join(', ')}.`,
  nextStep: 'The run has been opened without them.',
});

/** A session whose worker may hold runs that storage has refused. */
export interface Holder extends Pick<WorkerLink, 'attempt'> {
  unkept: ReadonlySignal<readonly string[]>;
}

/** What the parts of a session share. */
export interface SessionState {
  screen: Signal<ErrorReport | null>;
  notice: Signal<ErrorReport | null>;
  state: Signal<RunState | null>;
  current: ReadonlySignal<RunState | null>;
  activity: ReadonlySignal<Activity>;
  isWatching: Signal<boolean>;
  mayContact: MayContact;
}

interface KeptOptions extends SessionState, Pick<Waiting, 'waitFor'> {
  readRunFile: ReadRunFile;
  base: string;
  holders: () => readonly Holder[];
}

/** True if the file may hold an adapter. Checking an adapter may require the shapes of its base from a server. */
function mayHoldAdapter(file: Blob | Files): boolean {
  return !(file instanceof Blob) || (file instanceof File && file.name.endsWith('.zip'));
}

/** Stores the run of a file, outside the training worker. Rejects if the file is invalid. */
export type ReadRunFile = (file: Blob | Files, opening: Opening, signal: AbortSignal) => Promise<ImportedRun>;

export type Kept = ReturnType<typeof createKept>;

export function createKept(
  { attempt, capabilities }: Pick<WorkerLink, 'attempt' | 'capabilities'>,
  { readRunFile, base, holders, waitFor, ...shared }: KeptOptions,
) {
  const { screen, notice, current, activity, isWatching, mayContact } = shared;
  const shown = signal<RunView | null>(null);
  const runs = signal<readonly ListedRun[]>([]);
  /** IDs of runs whose records are invalid. Only the IDs can be used. */
  const unread = signal<readonly string[]>([]);
  const overlays = signal<readonly KeptRun[]>([]);
  /** Number of changes by this page to the stored and trained runs. Each change makes the other tabs refresh. */
  const changes = signal(0);
  const changed = (): void => void (changes.value += 1);
  /** ID of the run that another tab trains, as reported by that tab. */
  let watched: string | null = null;

  /** True if the run trains here. */
  const isCurrent = (id: string): boolean => current.value?.id === id;
  const runOf = (id: string | null): ListedRun | undefined => runs.value.find((run) => run.id === id);
  const isListed = (list: readonly ListedRun[], id: string): boolean => list.some((run) => run.id === id);

  /** Asks the worker that holds the run: its own if storage lacks a part, otherwise this session's. */
  async function attemptOn<T>(
    id: string | null,
    question: (service: TrainerService) => Promise<T>,
  ): Promise<T | null> {
    const holder = holders().find(({ unkept }) => id !== null && unkept.value.includes(id));
    const answer = await (holder?.attempt ?? attempt)(question);
    if (answer === null) forgetMissing();
    return answer;
  }

  /**
   * Refreshes the list after the error that a run is missing. Another tab may have deleted it, or the site's data were
   * cleared.
   */
  function forgetMissing(): void {
    if (screen.value?.code === 'store/no-run') void refreshRuns();
  }

  /** Runs of other sessions that storage has refused. */
  async function refusedElsewhere(): Promise<ListedRun[]> {
    const others = holders().filter((holder) => holder.attempt !== attempt && holder.unkept.value.length > 0);
    const lists = others.map(async (holder) => {
      const listed = (await holder.attempt((service) => service.listRuns())) ?? [];
      return listed.filter(({ id }) => holder.unkept.value.includes(id));
    });
    return (await Promise.all(lists)).flat();
  }

  async function refreshRuns(): Promise<void> {
    const [listed, refused] = await Promise.all([
      attempt((service) => service.listRuns()),
      refusedElsewhere(),
    ]);
    if (listed === null && refused.length === 0) return;
    const isRefused = ({ id }: ListedRun): boolean => refused.some((run) => run.id === id);
    const found = [...refused, ...(listed ?? runs.value).filter((run) => !isRefused(run))];
    const isRead = (run: ListedRun): boolean => v.is(runRecordSchema, run);
    const list = found.filter(isRead);
    batch(() => {
      unread.value = found.flatMap((run) => (isRead(run) ? [] : [run.id]));
      runs.value = list;
      // Another tab may have deleted what this one shows.
      const listed = overlays.value.filter(({ record }) => isListed(list, record.id));
      if (listed.length < overlays.value.length) overlays.value = listed;
      const id = shown.value?.id ?? null;
      if (id !== null && !isCurrent(id) && !isListed(list, id)) shown.value = null;
    });
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

  async function viewOf(id: string, origin: () => Origin): Promise<RunView | null> {
    const run = await history(id);
    return run && viewOfKept(origin(), run);
  }

  /** Events that arrive while a run is read. Its history lacks them if it trains here. */
  const missed = new Set<WorkerEvent[]>();

  function takeEvent(event: WorkerEvent): void {
    if (shown.value?.origin === 'live') shown.value.take(event);
    for (const events of missed) events.push(event);
  }

  async function open(id: string): Promise<void> {
    const wasCurrent = isCurrent(id);
    const events: WorkerEvent[] = [];
    missed.add(events);
    const found = await viewOf(id, () => (isCurrent(id) ? 'live' : 'kept'));
    missed.delete(events);
    if (found === null) return;
    if (wasCurrent) events.forEach((event) => found.take(event));
    shown.value = found;
  }

  /** Applies a change to a run, and refreshes the list. */
  async function change(id: string, asked: (service: TrainerService) => Promise<void>): Promise<void> {
    const isDone = await attemptOn(id, async (service) => {
      await asked(service);
      return true;
    });
    if (isDone === null) return;
    changed();
    await refreshRuns();
  }

  /** Refreshes the view of the run that another tab trains, until that run ends. */
  async function lookAtOther(): Promise<void> {
    const here = await attempt((service) => service.capabilities());
    if (here === null || !isWatching.value) return;
    capabilities.value = here;
    await refreshRuns();
    // A run that has just ended is read once more, since its last steps came after the last refresh.
    watched = here.runElsewhere ?? watched;
    // storage may have refused it
    if (watched !== null && isListed(runs.value, watched)) await open(watched);
    if (here.busyElsewhere) return;
    batch(() => {
      isWatching.value = false;
      screen.value = null;
    });
  }

  /** Refreshes the list, and the shown run if another tab trains it. */
  async function refresh(): Promise<void> {
    if (isWatching.value) return lookAtOther();
    await refreshRuns();
    const id = shown.value?.id ?? null;
    const isFollowed = (): boolean =>
      activity.value === 'idle' && shown.value?.id === id && runOf(id)?.trainsElsewhere === true;
    if (id === null || !isFollowed()) return;
    const found = await viewOf(id, () => 'kept');
    if (found !== null && isFollowed()) shown.value = found;
  }

  return {
    shown,
    runs,
    /** The listed run with this ID; undefined if there is none. */
    runOf,
    unread,
    overlays,
    changes,
    changed,
    refreshRuns,
    forgetMissing,
    takeEvent,
    open,
    history,
    /** All records of a run; the view of a long run holds some of them. Null if they cannot be read. */
    allRecords: async (view: RunView): Promise<readonly StepRecord[] | null> =>
      view.id === null || stepsTaken(view) <= MOST_HELD
        ? view.records.value
        : ((await history(view.id))?.steps ?? null),
    attemptOn,
    refresh,
    /** Rollouts of one step that are drawn in a picture. */
    drawnRollouts: async (id: string, step: number): Promise<readonly Rollout[]> =>
      (await attempt((service) => service.getRollouts(id, step, true))) ?? [],
    annotate: (id: string, notes: RunNotes) => change(id, (service) => service.annotate(id, notes)),
    remove: (id: string) => change(id, (service) => service.deleteRun(id)),
    async toggleOverlay(id: string): Promise<void> {
      const rest = overlays.value.filter((overlay) => overlay.record.id !== id);
      if (rest.length < overlays.value.length) {
        overlays.value = rest;
        return;
      }
      const found = await history(id);
      if (found !== null) overlays.value = [...rest, found];
    },
    /** Weights of the run at its last or best step. */
    async weightsFile(id: string, of: 'last' | 'best'): Promise<Blob | null> {
      const config = runOf(id)?.config;
      // The file of a fully trained model includes other files of the model, which are fetched from its origin.
      if (config?.training.mode === 'full' && !(await mayContact(config))) return null;
      return attemptOn(id, (service) => service.weightsFile(id, of));
    },
    /**
     * Stores the run of a file, or of several files by path, and opens it. Null on an error, which the screen shows.
     *
     * @param settings - settings for an adapter whose files do not describe a run
     */
    async openRunFile(file: Blob | Files, settings?: RunConfig): Promise<string | null> {
      screen.value = null;
      const may = settings !== undefined && mayHoldAdapter(file) && (await mayContact(settings));
      const opening = { base, settings: may ? settings : null };
      const abort = new AbortController();
      const reading = readRunFile(file, opening, abort.signal).catch((thrown: unknown) => {
        if (!abort.signal.aborted) screen.value = toErrorReport(thrown);
        return null;
      });
      const imported = await waitFor('Reading the file', reading, () => abort.abort());
      if (imported === null) return null;
      const { isNew, ignored } = imported;
      notice.value = !isNew ? keptAlready : ignored === undefined ? null : leftOut(ignored);
      changed();
      await refreshRuns();
      await open(imported.record.id);
      return imported.record.id;
    },
  };
}
