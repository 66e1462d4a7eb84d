/** A run of which the storage has refused the newest part, as a beginning. */
import { toErrorReport } from '../src/error';
import type { Checkpoint } from '../src/run/events';
import { cutHistory, eventsAfter } from '../src/store/cut-history';
import type { Store } from '../src/store/store';
import { importedItems, type Beginning } from './beginning';
import type { BackendWish, ChosenBackend, UnkeptRun, WorkerEvent } from './protocol';

/** Goes on from what the memory holds, here or of another worker, and gives the storage what it lacks, if it takes it. */
export function unkeptRun(
  { kept, checkpoint }: UnkeptRun,
  wish: BackendWish,
  openedStore: () => Promise<Store>,
  emit: (event: WorkerEvent) => void,
): Beginning {
  const { config, id, machine: before } = kept.record;
  const history = cutHistory(kept, checkpoint);
  const failed = (thrown: unknown): void => emit({ type: 'storage', error: toErrorReport(thrown) });

  /** Null where the storage has nothing of the run, or does not answer. */
  async function storedRun(): Promise<{ store: Store; stored: Checkpoint | null } | null> {
    try {
      const store = await openedStore();
      const { resumed } = await store.resumeRun(id);
      return { store, stored: resumed && resumed.checkpoint };
    } catch (thrown) {
      failed(thrown);
      return null;
    }
  }

  return {
    id,
    config,
    wish,
    before: (before.backend as ChosenBackend | undefined) ?? null,
    imported: () => importedItems(config, openedStore),
    async open(machine) {
      const found = await storedRun();
      let isResumeKept = false;
      if (found !== null) {
        const { store, stored } = found;
        const missing = eventsAfter(history, stored);
        try {
          if (checkpoint === null) await store.appendEvents(id, missing);
          else await store.saveCheckpoint(id, checkpoint, missing);
          isResumeKept = true;
        } catch (thrown) {
          failed(thrown); // the events wait in the store's log for the next checkpoint
        }
      }
      return {
        kept: {
          ...history,
          record: { ...history.record, machine, status: 'running' },
          rolloutSteps: kept.rolloutSteps.filter((step) => step <= (checkpoint?.step ?? -1)),
        },
        resume: checkpoint,
        isResumeKept,
        store: found && found.store,
      };
    },
  };
}
