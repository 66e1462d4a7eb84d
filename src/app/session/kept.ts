/** What is kept in this browser: runs with their records and files; and which run is on show. */
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import * as v from 'valibot';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { Files } from '../../export/open/trained-files';
import type { RunConfig } from '../../run/config/config';
import { runRecordSchema } from '../../run/record/run-record';
import type { Rollout } from '../../run/record/rollout-record';
import type { ImportedRun } from '../../store/keep-run';
import type { Opening } from '../../../workers/dataset-protocol';
import type { KeptRun, ListedRun, RunState, TrainerService } from '../../../workers/protocol';
import { viewOfKept, type Activity, type RunView } from './run-view';
import type { MayContact } from './consent';
import type { Waiting } from './waiting';
import type { WorkerLink } from './worker-link';

/** Its name stands over it: it is the run on show. */
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

/** A session whose worker holds runs that storage has refused. */
export interface Holder extends Pick<WorkerLink, 'attempt'> {
  unkept: ReadonlySignal<readonly string[]>;
}

export interface KeptOptions {
  screen: Signal<ErrorReport | null>;
  notice: Signal<ErrorReport | null>;
  current: ReadonlySignal<RunState | null>;
  activity: ReadonlySignal<Activity>;
  isWatching: Signal<boolean>;
  mayContact: MayContact;
  readRunFile: ReadRunFile;
  base: string;
  holders: () => readonly Holder[];
  waitFor: Waiting['waitFor'];
}

/** An adapter is checked against its base, whose shapes may have to be asked for. */
function mayHoldAdapter(file: Blob | Files): boolean {
  return !(file instanceof Blob) || (file instanceof File && file.name.endsWith('.zip'));
}

/** Keeps the run of a file, away from the worker that trains; rejects with what is wrong with the file. */
export type ReadRunFile = (file: Blob | Files, opening: Opening, signal: AbortSignal) => Promise<ImportedRun>;

export type Kept = ReturnType<typeof createKept>;

export function createKept(
  { attempt, capabilities }: Pick<WorkerLink, 'attempt' | 'capabilities'>,
  {
    screen,
    notice,
    current,
    activity,
    isWatching,
    mayContact,
    readRunFile,
    base,
    holders,
    waitFor,
  }: KeptOptions,
) {
  const shown = signal<RunView | null>(null);
  const runs = signal<readonly ListedRun[]>([]);
  /** Those whose records are none: nothing but their ids may be asked. */
  const unread = signal<readonly string[]>([]);
  const overlays = signal<readonly KeptRun[]>([]);
  /** How often this page has changed which runs are kept or trained: the other tabs look again. */
  const changes = signal(0);
  const changed = (): void => void (changes.value += 1);
  /** The run that another tab trains, as it says itself. */
  let watched: string | null = null;

  /** True if the run trains here. */
  const isCurrent = (id: string): boolean => current.value?.id === id;
  const runOf = (id: string | null): ListedRun | undefined => runs.value.find((run) => run.id === id);
  const isListed = (list: readonly ListedRun[], id: string): boolean => list.some((run) => run.id === id);

  /** Asks the worker that holds the run: its own if storage lacks a part, else this session's. */
  async function attemptOn<T>(
    id: string | null,
    question: (service: TrainerService) => Promise<T>,
  ): Promise<T | null> {
    const holder = holders().find(({ unkept }) => id !== null && unkept.value.includes(id));
    const answer = await (holder?.attempt ?? attempt)(question);
    if (answer === null) forgetMissing();
    return answer;
  }

  /** Lists the runs again after an error that says that one is gone: another tab, or clearing the site's data, deleted it. */
  function forgetMissing(): void {
    if (screen.value?.code === 'store/no-run') void refreshRuns();
  }

  /** Runs that storage has refused to other sessions. */
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

  /** Reads a long run in parts, between which the page can draw. */
  const history = (id: string): Promise<KeptRun | null> =>
    attemptOn(id, async (service) => {
      const { stepCount = 0, ...run } = await service.getRun(id);
      const parts = [run.steps];
      for (let count = run.steps.length; count < stepCount; count += parts.at(-1)!.length) {
        const part = await service.getSteps(id, count);
        if (part.length === 0) break; // another tab has deleted it
        parts.push(part);
      }
      return { ...run, steps: parts.flat() };
    });

  async function open(id: string): Promise<void> {
    const found = await history(id);
    if (found !== null) shown.value = viewOfKept(isCurrent(id) ? 'live' : 'kept', found);
  }

  /** Changes a run. */
  async function change(id: string, asked: (service: TrainerService) => Promise<void>): Promise<void> {
    const isDone = await attemptOn(id, async (service) => {
      await asked(service);
      return true;
    });
    if (isDone === null) return;
    changed();
    await refreshRuns();
  }

  /** A look at the tab that trains in place of this one: at the run that it trains, until it has ended. */
  async function lookAtOther(): Promise<void> {
    const here = await attempt((service) => service.capabilities());
    if (here === null || !isWatching.value) return;
    capabilities.value = here;
    await refreshRuns();
    // One that has just ended there is looked at once more: its last steps came after the last look.
    watched = here.runElsewhere ?? watched;
    // the storage may have refused it
    if (watched !== null && isListed(runs.value, watched)) await open(watched);
    if (here.busyElsewhere) return;
    batch(() => {
      isWatching.value = false;
      screen.value = null;
    });
  }

  /** Looks again at which runs are kept, and at the one on show where another tab trains it. */
  async function refresh(): Promise<void> {
    if (isWatching.value) return lookAtOther();
    await refreshRuns();
    const id = shown.value?.id ?? null;
    const isFollowed = (): boolean =>
      activity.value === 'idle' && shown.value?.id === id && runOf(id)?.trainsElsewhere === true;
    if (id === null || !isFollowed()) return;
    const found = await history(id);
    if (found !== null && isFollowed()) shown.value = viewOfKept('kept', found);
  }

  return {
    shown,
    runs,
    /** The kept run of this id; undefined where the list has none. */
    runOf,
    unread,
    overlays,
    changes,
    changed,
    refreshRuns,
    forgetMissing,
    open,
    history,
    attemptOn,
    refresh,
    /** Those of one step that a picture shows. */
    drawnRollouts: async (id: string, step: number): Promise<readonly Rollout[]> =>
      (await attempt((service) => service.getRollouts(id, step, true))) ?? [],
    setNotes: (id: string, notes: string) => change(id, (service) => service.setNotes(id, notes)),
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
    /** What the run has trained, at its last step or at its best. */
    async weightsFile(id: string, of: 'last' | 'best'): Promise<Blob | null> {
      const config = runOf(id)?.config;
      // Beside a model that was trained in full lie files that are fetched from where it is from.
      if (config?.training.mode === 'full' && !(await mayContact(config))) return null;
      return attemptOn(id, (service) => service.weightsFile(id, of));
    },
    /**
     * Keeps the run of a file, or of several by their paths, and opens it; null where it cannot be read, and the screen says
     * why.
     *
     * @param settings what an adapter is opened under that says of no run
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
