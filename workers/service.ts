/** What the page may ask of the worker, over the library and the store. One run trains at a time, in one tab. */
import { MarbleError } from '../src/error';
import { nameAdapter, probeAdapter } from '../src/gpu/capabilities';
import type { Rollout } from '../src/run/events';
import type { RunRecord } from '../src/run/history';
import { openStore, type Store } from '../src/store/store';
import { trainerIsBusy } from '../src/store/trainer-lock';
import { keptRun, newRun, type Beginning } from './beginning';
import type { Capabilities, KeptRun, TrainerService, WorkerEvent } from './protocol';
import { startTraining, type Training } from './training';

/** A record of an older version has not all settings of this one. */
async function completedRecord(record: RunRecord): Promise<RunRecord> {
  const { completedOwn } = await import('../src/share/older-config');
  return { ...record, config: completedOwn(record.config) };
}

/** What can be read of a run's rollouts: a storage that fails keeps back no more of its file. */
async function* readable(batches: AsyncIterable<Rollout[]>): AsyncGenerator<Rollout[], void, void> {
  try {
    yield* batches;
  } catch {
    // The rest of the file is worth having without them.
  }
}

/** @param wasmUrl - address of tfjs's wasm file */
export function createTrainerService(wasmUrl: string): TrainerService {
  let base = '';
  let emit: (event: WorkerEvent) => void = () => undefined;
  let ownFiles: Record<string, Blob> | null = null;
  let ownAdapter: Record<string, Blob> | null = null;
  let store: Promise<Store> | null = null;
  let training: Training | null = null;
  /** The last run that trained here, where the storage may not have it. */
  let last: Training | null = null;

  const openedStore = (): Promise<Store> => {
    if (store === null) {
      store = openStore();
      store.catch(() => (store = null)); // the next call tries again
    }
    return store;
  };

  async function capabilities(): Promise<Capabilities> {
    const adapter = await probeAdapter();
    const { storage } = navigator as { storage?: StorageManager };
    const estimate = await storage?.estimate().catch(() => undefined); // some browsers refuse to say
    return {
      adapter: adapter === null ? null : nameAdapter(adapter.info),
      storage: estimate === undefined ? null : { usage: estimate.usage ?? 0, quota: estimate.quota ?? 0 },
      busyElsewhere: training === null && (await trainerIsBusy()),
    };
  }

  async function begin(beginning: Beginning): Promise<string> {
    if (training !== null) {
      throw new MarbleError(
        'app/already-training',
        'A run is already training in this tab.',
        'Stop it first.',
      );
    }
    const fresh = startTraining(beginning, { base, ownFiles, ownAdapter, wasmUrl, emit, openedStore });
    training = last = fresh;
    void fresh.ended.then(() => (training = null));
    return fresh.started.catch(async (thrown: unknown) => {
      await fresh.ended; // so that another try finds all released
      throw thrown;
    });
  }

  /** A run from the storage; where that fails, what is known of it here. */
  async function found(id: string): Promise<KeptRun> {
    try {
      const open = await openedStore();
      const { record, ...history } = await open.loadRun(id);
      return { ...history, record: await completedRecord(record), rolloutSteps: await open.rolloutSteps(id) };
    } catch (thrown) {
      const known = last?.kept();
      if (known?.record.id === id) return known;
      throw thrown;
    }
  }

  async function fileOf(id: string): Promise<Blob> {
    const known = last?.kept()?.record.id === id ? last : null;
    const history = known?.kept() ?? (await found(id));
    const open = await openedStore().catch(() => null);
    // In memory it may be newer than what a full storage holds.
    const checkpoint = known?.checkpoint() ?? (await open?.loadCheckpoint(id))?.checkpoint ?? null;
    const { exportRun } = await import('../src/share/run-file');
    return exportRun({
      history,
      rollouts: open === null ? [] : readable(open.rolloutBatches(id)),
      checkpoint,
    });
  }

  function current(): Training {
    if (training !== null) return training;
    throw new MarbleError('app/not-training', 'No run is training in this tab.', 'Start or resume one.');
  }

  /** The state of a kept run's policy: in memory it may be newer than in the storage. */
  async function weightsOf(id: string): Promise<Blob> {
    const known = last?.kept()?.record.id === id ? last.checkpoint() : null;
    const checkpoint = known ?? (await (await openedStore()).loadCheckpoint(id))?.checkpoint;
    if (checkpoint === undefined) {
      throw new MarbleError(
        'store/no-checkpoint',
        'This run has no checkpoint yet.',
        'Let it train a few steps.',
      );
    }
    const { weightsFile } = await import('./weights-file');
    return weightsFile(checkpoint, { base, ownFiles, ownAdapter });
  }

  /** An order to the run that trains; a rejection where none does. */
  const ordered = (order: (training: Training) => void): Promise<void> =>
    Promise.resolve().then(() => order(current()));

  return {
    connect(pageBase, onEvent) {
      base = pageBase;
      emit = onEvent;
      return capabilities();
    },
    capabilities,

    async listRuns() {
      if (training === null) await last?.settle(); // how the last run ended may not be written yet
      return Promise.all((await (await openedStore()).listRuns()).map(completedRecord));
    },
    getRun: found,
    getRollouts: async (id, step) => (await openedStore()).loadRollouts(id, step),
    async setNotes(id, notes) {
      await (await openedStore()).updateRun(id, { notes });
    },
    deleteRun: async (id) => (await openedStore()).deleteRun(id),
    runFile: fileOf,
    weightsFile: weightsOf,
    async openRunFile(file) {
      const { importRun } = await import('../src/share/run-file');
      const { history, rollouts, checkpoint } = await importRun(file);
      return (await openedStore()).importRun(history, rollouts, checkpoint);
    },

    async listSweeps() {
      const { completedOwn } = await import('../src/share/older-config');
      const sweeps = await (await openedStore()).listSweeps();
      return sweeps.map((sweep) => ({ ...sweep, base: completedOwn(sweep.base) }));
    },
    putSweep: async (sweep) => (await openedStore()).putSweep(sweep),
    deleteSweep: async (id) => (await openedStore()).deleteSweep(id),

    storedModels: async () => (await import('./model-store')).storedModels(),
    deleteStoredModel: async (address) => (await import('./model-store')).deleteStoredModel(address),
    chooseFiles(files) {
      ownFiles = files;
      return Promise.resolve();
    },
    async chooseAdapter(files) {
      const chosen = await (await import('./chosen-adapter')).chosenAdapter(files);
      ownAdapter = chosen.files;
      return { rank: chosen.rank, alpha: chosen.alpha };
    },
    findCommit: async (repository, branch) =>
      (await import('../src/model/hub')).resolveRevision(repository, branch),
    async preflight(config) {
      const { preflight } = await import('./preflight');
      return preflight(config, { base, ownFiles, ownAdapter });
    },
    start: async (config, name, wish) => begin(newRun({ config, name, wish }, openedStore, emit)),
    resume: async (id, wish) => begin(await keptRun(id, wish, await openedStore(), emit)),

    pause: () => ordered(({ control }) => control.pause()),
    step: () => ordered(({ control }) => control.step()),
    goOn: () => ordered(({ control }) => control.goOn()),
    stop: () => ordered(({ control }) => control.stop()),
    keep: () => ordered(({ control }) => control.keep()),
  };
}
