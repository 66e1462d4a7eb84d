/** A run of which the storage has refused the newest part, as a beginning. */
import { MarbleError, toErrorReport } from '../src/error';
import type { TrainerEvent } from '../src/run/events';
import { cutHistory, eventsAfter } from '../src/store/cut-history';
import type { Store } from '../src/store/store';
import { importedItems, type Beginning, type OpenedRun, type RunWriter } from './beginning';
import type { BackendWish, ChosenBackend, UnkeptRun, WorkerEvent } from './protocol';

/** Of rollouts, the bulk of a log, this many steps wait at most: storage that stays full must not fill the memory. */
const WAITING_ROLLOUTS = 20;

/** Writes to a storage that did not take the run up: each thing that is to be written asks it again. */
function writesLater(takeUp: () => Promise<Store>): RunWriter {
  let store: Store | null = null;
  let waiting: TrainerEvent[] = [];

  async function ready(events: readonly TrainerEvent[]): Promise<{ store: Store; events: TrainerEvent[] }> {
    waiting.push(...events);
    const rollouts = waiting.filter(({ type }) => type === 'rollouts');
    const dropped = new Set(rollouts.slice(0, -WAITING_ROLLOUTS));
    waiting = waiting.filter((event) => !dropped.has(event));
    store ??= await takeUp();
    const all = waiting;
    waiting = [];
    return { store, events: all };
  }

  return {
    async appendEvents(id, given) {
      const { store, events } = await ready(given);
      await store.appendEvents(id, events);
    },
    async saveCheckpoint(id, checkpoint, given = [], options = {}) {
      const { store, events } = await ready(given);
      await store.saveCheckpoint(id, checkpoint, events, options);
    },
    async updateRun(id, change) {
      const { store, events } = await ready([]);
      if (events.length > 0) await store.appendEvents(id, events);
      return store.updateRun(id, change);
    },
  };
}

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

  /** Gives the storage what it lacks; what it does not take then waits in its log for the next checkpoint. */
  async function takeUp(): Promise<{ store: Store; isResumeKept: boolean }> {
    const store = await openedStore();
    const { resumed } = await store.resumeRun(id);
    const missing = eventsAfter(history, resumed && resumed.checkpoint);
    try {
      if (checkpoint === null) await store.appendEvents(id, missing);
      else await store.saveCheckpoint(id, checkpoint, missing);
      return { store, isResumeKept: true };
    } catch (thrown) {
      failed(thrown);
      return { store, isResumeKept: false };
    }
  }

  async function opened(): Promise<Pick<OpenedRun, 'store' | 'isResumeKept'>> {
    try {
      return await takeUp();
    } catch (thrown) {
      failed(thrown);
      const isGone = thrown instanceof MarbleError && thrown.code === 'store/no-run';
      const later = async (): Promise<Store> => (await takeUp()).store;
      return { store: isGone ? null : writesLater(later), isResumeKept: false };
    }
  }

  return {
    id,
    config,
    wish,
    before: (before.backend as ChosenBackend | undefined) ?? null,
    imported: () => importedItems(config, openedStore),
    async open(machine) {
      const { store, isResumeKept } = await opened();
      return {
        kept: {
          ...history,
          record: { ...history.record, machine, status: 'running' },
          rolloutSteps: kept.rolloutSteps.filter((step) => step <= (checkpoint?.step ?? -1)),
        },
        resume: checkpoint,
        isResumeKept,
        store,
      };
    },
  };
}
