/** What the page may ask of a worker, over the library and the store. One run trains in it at a time, and workers of one tab alone. */
import { MarbleError } from '../src/error';
import { nameAdapter, probeAdapter } from '../src/gpu/capabilities';
import type { Checkpoint } from '../src/run/events';
import type { Rollout } from '../src/run/rollout-record';
import type { RunRecord } from '../src/run/run-record';
import { openStore, type Store } from '../src/store/store';
import { trainerAtWork, whileIdle, type TrainerLock } from '../src/store/trainer-lock';
import { keptRun, newRun, type Beginning } from './beginning';
import type {
  AnsweredQuestion,
  AskedQuestion,
  Capabilities,
  ChosenBackend,
  ComputerCheck,
  KeptRun,
  ListedRun,
  LockRole,
  TrainerService,
  WorkerEvent,
} from './protocol';
import { trainerLock } from './trainer-lock';
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

/** What is known here of a run has the notes of its beginning: those of the storage are newer. */
function withNotes(run: KeptRun, stored: readonly RunRecord[] = []): KeptRun {
  const notes = stored.find(({ id }) => id === run.record.id)?.notes ?? run.record.notes;
  return { ...run, record: { ...run.record, notes } };
}

type RememberedRun = Pick<Training, 'kept' | 'checkpoint' | 'unkept' | 'isKept' | 'settle'>;

/** @param wasmUrl - address of tfjs's wasm file */
export function createTrainerService(wasmUrl: string): TrainerService {
  let base = '';
  let emit: (event: WorkerEvent) => void = () => undefined;
  let ownFiles: Record<string, Blob> | null = null;
  let ownAdapter: Record<string, Blob> | null = null;
  let store: Promise<Store> | null = null;
  let training: Training | null = null;
  /** A question or a check under way: it has the device until it is answered. */
  let asking: Promise<unknown> = Promise.resolve();
  let lockRole: LockRole = 'alone';
  /** Held as the first of several workers. */
  let sharedLock: TrainerLock | null = null;
  /** The last run that trained here or was taken over, where the storage may not have it. */
  let last: RememberedRun | null = null;

  const openedStore = (): Promise<Store> => {
    if (store === null) {
      store = openStore();
      store.catch(() => (store = null)); // the next call tries again
    }
    return store;
  };

  /** Whether what trains in this browser is known to be of this tab. */
  const isOwnTab = (): boolean => training !== null || lockRole !== 'alone';

  async function lockAs(role: LockRole): Promise<void> {
    if (role === 'first') sharedLock ??= await trainerLock();
    else {
      await sharedLock?.release();
      sharedLock = null;
    }
    lockRole = role;
  }

  async function capabilities(): Promise<Capabilities> {
    const adapter = await probeAdapter();
    const { storage } = navigator as { storage?: StorageManager };
    const elsewhere = isOwnTab() ? { isBusy: false, runId: null } : await trainerAtWork();
    const estimate = await storage?.estimate().catch(() => undefined); // some browsers refuse to say
    return {
      adapter: adapter === null ? null : nameAdapter(adapter.info),
      storage: estimate === undefined ? null : { usage: estimate.usage ?? 0, quota: estimate.quota ?? 0 },
      busyElsewhere: elsewhere.isBusy,
      runElsewhere: elsewhere.runId,
    };
  }

  function refuseWhileTraining(): void {
    if (training === null) return;
    throw new MarbleError('app/already-training', 'A run is already training in this tab.', 'Stop it first.');
  }

  function afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const working = asking.catch(() => undefined).then(work);
    asking = working;
    return working;
  }

  async function answer(question: AskedQuestion): Promise<AnsweredQuestion> {
    refuseWhileTraining();
    const { run } = question;
    const trained = run === null ? null : await lastCheckpoint(run);
    const machine = run === null ? null : (await found(run)).record.machine;
    const backend = (machine?.backend as ChosenBackend | undefined)?.backend ?? 'wasm';
    const { answered } = await import('./ask');
    return answered(question, trained, backend, { base, ownFiles, ownAdapter, wasmUrl });
  }

  async function checked(
    ...[presets, onProgress]: Parameters<TrainerService['check']>
  ): Promise<ComputerCheck> {
    refuseWhileTraining();
    const lock = await trainerLock();
    try {
      const { checkComputer } = await import('./check-computer');
      return await checkComputer(presets, base, { wasmUrl }, onProgress);
    } finally {
      await lock.release();
    }
  }

  async function begin(beginning: Beginning): Promise<string> {
    await asking.catch(() => undefined);
    refuseWhileTraining();
    const takesLock = lockRole === 'alone';
    const surroundings = { base, ownFiles, ownAdapter, wasmUrl, emit, openedStore, takesLock };
    const fresh = startTraining(beginning, surroundings);
    training = fresh;
    void fresh.ended.then(() => (training = null));
    try {
      const id = await fresh.started;
      last = fresh;
      return id;
    } catch (thrown) {
      await fresh.ended; // so that another try finds all released
      throw thrown;
    }
  }

  /** The kept runs, and the one that the storage has refused. */
  async function listedRuns(): Promise<ListedRun[]> {
    if (training === null) await last?.settle(); // how the last run ended may not be written yet
    const refused = last?.unkept()?.kept.record;
    try {
      const records = await (await openedStore()).listRuns();
      const { runId } = isOwnTab() ? { runId: null } : await trainerAtWork();
      const listed = await Promise.all(
        records.map(async (record) => {
          const run = await completedRecord(record.id === refused?.id ? refused : record);
          return run.id === runId ? { ...run, trainsElsewhere: true } : run;
        }),
      );
      const isListed = refused === undefined || records.some(({ id }) => id === refused.id);
      return isListed ? listed : [refused, ...listed];
    } catch (thrown) {
      if (refused !== undefined) return [refused];
      throw thrown;
    }
  }

  /** A run from the storage; where that fails, what is known of it here. */
  async function found(id: string): Promise<KeptRun> {
    const refused = last?.unkept()?.kept;
    if (refused?.record.id === id) return refused;
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
    const known = last?.kept()?.record.id === id && !last.isKept() ? last.kept() : null;
    const open = await openedStore().catch(() => null);
    const history = withNotes(known ?? (await found(id)), await open?.listRuns().catch(() => []));
    const checkpoint = await lastCheckpoint(id);
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

  /** The state of a kept run's policy: in memory it may be newer than in the storage, or older, where another tab went on. */
  async function lastCheckpoint(id: string): Promise<Checkpoint | null> {
    const known = last?.kept()?.record.id === id ? last.checkpoint() : null;
    if (known !== null && last?.isKept() !== true) return known;
    try {
      return (await (await openedStore()).loadCheckpoint(id))?.checkpoint ?? known;
    } catch (thrown) {
      if (known === null) throw thrown;
      return known;
    }
  }

  async function weightsOf(id: string, of: 'last' | 'best'): Promise<Blob> {
    const isBest = of === 'best';
    const checkpoint = await (isBest ? (await openedStore()).loadBestCheckpoint(id) : lastCheckpoint(id));
    if (checkpoint === null) {
      throw new MarbleError(
        'store/no-checkpoint',
        isBest ? 'The best checkpoint of this run cannot be read.' : 'This run has no checkpoint yet.',
        isBest ? 'Take the weights of its last step.' : 'Let it train a few steps.',
      );
    }
    const { weightsFile } = await import('./weights-file');
    return weightsFile(checkpoint, await found(id), { base, ownFiles, ownAdapter });
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
    isAlive: () => Promise.resolve(true),
    lockAs,

    listRuns: listedRuns,
    getRun: found,
    getRollouts: async (id, step) => (await openedStore()).loadRollouts(id, step),
    async setNotes(id, notes) {
      const refused = last?.unkept()?.kept.record;
      const isRefused = refused?.id === id;
      if (isRefused) refused.notes = notes; // goes along into its file
      await openedStore()
        .then((open) => open.updateRun(id, { notes }))
        .catch((thrown: unknown) => {
          if (!isRefused) throw thrown;
        });
    },
    async deleteRun(id) {
      const open = await openedStore();
      await whileIdle(id, () => open.deleteRun(id));
      if (last?.kept()?.record.id === id) last = null;
    },
    unkept: () => Promise.resolve(last && last.unkept()),
    takeOver(run) {
      last = {
        kept: () => run.kept,
        checkpoint: () => run.checkpoint,
        unkept: () => run,
        isKept: () => false,
        settle: () => Promise.resolve(),
      };
      return Promise.resolve();
    },
    runFile: fileOf,
    weightsFile: weightsOf,

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
      (await import('../src/model/source/hub')).resolveRevision(repository, branch),
    async preflight(config) {
      const { preflight } = await import('./preflight');
      return preflight(config, { base, ownFiles, ownAdapter });
    },
    costs: async (presets) => {
      const { presetCosts, presetShapes } = await import('./preset-shapes');
      return presetCosts(presets, await presetShapes(presets, base));
    },
    check: (...asked) => afterOthers(() => checked(...asked)),
    ask: (question) => afterOthers(() => answer(question)),
    start: async (config, name, wish) => begin(newRun({ config, name, wish }, openedStore, emit)),
    async resume(id, wish) {
      const refused = last && last.unkept();
      const { unkeptRun } = await import('./unkept-run');
      if (refused?.kept.record.id !== id) {
        const store = await openedStore();
        const beginning = await keptRun(id, wish, store, emit);
        const open: Beginning['open'] = async (machine) => {
          try {
            return await beginning.open(machine);
          } catch (thrown) {
            if (!(thrown instanceof MarbleError && thrown.code === 'store/full')) throw thrown;
            // What cannot be written can be read: the run goes on from it, and waits for room.
            const loaded = (await store.loadCheckpoint(id))?.checkpoint ?? null;
            const checkpoint = loaded && { ...loaded, config: beginning.config };
            return unkeptRun({ kept: await found(id), checkpoint }, wish, openedStore, emit).open(machine);
          }
        };
        return begin({ ...beginning, open });
      }
      return begin(unkeptRun(refused, wish, openedStore, emit));
    },

    pause: () => ordered(({ control }) => control.pause()),
    step: () => ordered(({ control }) => control.step()),
    goOn: () => ordered(({ control }) => control.goOn()),
    stop: () => ordered(({ control }) => control.stop()),
    keep: () => ordered(({ control }) => control.keep()),
  };
}
