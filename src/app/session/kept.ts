/** What is kept in this browser: runs with their records and files; and which run is on show. */
import { batch, signal, type Signal } from '@preact/signals';
import * as v from 'valibot';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { Files } from '../../export/cluster/cluster-files';
import type { RunConfig } from '../../run/config/config';
import { runRecordSchema } from '../../run/record/run-record';
import type { Rollout } from '../../run/record/rollout-record';
import type { ImportedRun } from '../../store/keep-run';
import type { Opening } from '../../../workers/dataset-protocol';
import type { KeptRun, ListedRun } from '../../../workers/protocol';
import { keptAlready } from '../runs/kept-runs';
import { viewOfKept, type RunView } from './run-view';
import type { MayContact } from './consent';
import type { WorkerLink } from './worker-link';

export interface Kept {
  readonly shown: Signal<RunView | null>;
  readonly runs: Signal<readonly ListedRun[]>;
  /** Those whose records are none: nothing but their ids may be asked. */
  readonly unread: Signal<readonly string[]>;
  readonly overlays: Signal<readonly KeptRun[]>;

  open(id: string): Promise<void>;
  history(id: string): Promise<KeptRun | null>;
  /** Those of one step that a picture shows. */
  drawnRollouts(id: string, step: number): Promise<readonly Rollout[]>;
  setNotes(id: string, notes: string): Promise<void>;
  remove(id: string): Promise<void>;
  toggleOverlay(id: string): Promise<void>;
  /** What the run has trained, at its last step or at its best. */
  weightsFile(id: string, of: 'last' | 'best'): Promise<Blob | null>;
  /**
   * Keeps the run of a file, or of several by their paths, and opens it; null where it cannot be read, and the screen says
   * why.
   *
   * @param settings what an adapter is opened under that says of no run
   */
  openRunFile(file: Blob | Files, settings?: RunConfig): Promise<string | null>;
}

export interface KeptOptions {
  screen: Signal<ErrorReport | null>;
  notice: Signal<ErrorReport | null>;
  /** Id of the run that trains here. */
  current: () => string | null;
  mayContact: MayContact;
  readRunFile: ReadRunFile;
  base: string;
  changed: () => void;
}

/** An adapter is checked against its base, whose shapes may have to be asked for. */
function mayHoldAdapter(file: Blob | Files): boolean {
  return !(file instanceof Blob) || (file instanceof File && file.name.endsWith('.zip'));
}

/** Keeps the run of a file, away from the worker that trains; rejects with what is wrong with the file. */
export type ReadRunFile = (file: Blob | Files, opening: Opening) => Promise<ImportedRun>;

export function createKept(
  { attempt, order }: Pick<WorkerLink, 'attempt' | 'order'>,
  { screen, notice, current, mayContact, readRunFile, base, changed }: KeptOptions,
): { kept: Kept; refreshRuns: () => Promise<void> } {
  const shown = signal<RunView | null>(null);
  const runs = signal<readonly ListedRun[]>([]);
  const unread = signal<readonly string[]>([]);
  const overlays = signal<readonly KeptRun[]>([]);

  const isListed = (list: readonly ListedRun[], id: string): boolean => list.some((run) => run.id === id);

  async function refreshRuns(): Promise<void> {
    const found = await attempt((service) => service.listRuns());
    if (found === null) return;
    const isRead = (run: ListedRun): boolean => v.is(runRecordSchema, run);
    const list = found.filter(isRead);
    batch(() => {
      unread.value = found.flatMap((run) => (isRead(run) ? [] : [run.id]));
      runs.value = list;
      // Another tab may have deleted what this one shows.
      const listed = overlays.value.filter(({ record }) => isListed(list, record.id));
      if (listed.length < overlays.value.length) overlays.value = listed;
      const id = shown.value?.id ?? null;
      if (id !== null && id !== current() && !isListed(list, id)) shown.value = null;
    });
  }

  const kept: Kept = {
    shown,
    runs,
    unread,
    overlays,

    async open(id) {
      const history = await kept.history(id);
      if (history !== null) shown.value = viewOfKept(id === current() ? 'live' : 'kept', history);
    },
    history: (id) => attempt((service) => service.getRun(id)),
    drawnRollouts: async (id, step) =>
      (await attempt((service) => service.getRollouts(id, step, true))) ?? [],
    async setNotes(id, notes) {
      if (!(await order((service) => service.setNotes(id, notes)))) return;
      changed();
      await refreshRuns();
    },
    async remove(id) {
      if (!(await order((service) => service.deleteRun(id)))) return;
      changed();
      await refreshRuns();
    },
    async toggleOverlay(id) {
      const rest = overlays.value.filter((overlay) => overlay.record.id !== id);
      if (rest.length < overlays.value.length) {
        overlays.value = rest;
        return;
      }
      const history = await kept.history(id);
      if (history !== null) overlays.value = [...rest, history];
    },
    async weightsFile(id, of) {
      const config = runs.value.find((run) => run.id === id)?.config;
      // Beside a model that was trained in full lie files that are fetched from where it is from.
      if (config?.training.mode === 'full' && !(await mayContact(config))) return null;
      return attempt((service) => service.weightsFile(id, of));
    },
    async openRunFile(file, settings) {
      screen.value = null;
      const may = settings !== undefined && mayHoldAdapter(file) && (await mayContact(settings));
      const opening = { base, settings: may ? settings : null };
      const imported = await readRunFile(file, opening).catch((thrown: unknown) => {
        screen.value = toErrorReport(thrown);
        return null;
      });
      if (imported === null) return null;
      notice.value = imported.isNew ? null : keptAlready;
      changed();
      await refreshRuns();
      await kept.open(imported.record.id);
      return imported.record.id;
    },
  };
  return { kept, refreshRuns };
}
