/** What the page may ask of a worker, over the library and the store. One run trains in it at a time, and workers of one tab alone. */
import { drawnOf } from '../src/run/record/drawn-rollouts';
import { MarbleError } from '../src/base/error';
import { nameAdapter, probeAdapter } from '../src/gpu/capabilities';
import type { Checkpoint } from '../src/run/record/events';
import type { Rollout } from '../src/run/record/rollout-record';
import type { RunRecord } from '../src/run/record/run-record';
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
import { createRunControl, type RunControl } from './run-control';
import { modelSource } from './models/backend';
import { openTraining, trainerLock, trainOpened, type RunMemory, type WorkerRun } from './worker-run';

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

/** @param wasmUrl - address of tfjs's wasm file */
export function createTrainerService(wasmUrl: string): TrainerService {
  let base = '';
  let emit: (event: WorkerEvent) => void = () => undefined;
  let ownFiles: Record<string, Blob> | null = null;
  let ownAdapter: Record<string, Blob> | null = null;
  let store: Promise<Store> | null = null;
  let run: WorkerRun = { is: 'ended', memory: null };
  /** A question or a check under way: it has the device until it is answered. */
  let asking: Promise<unknown> = Promise.resolve();
  let lockRole: LockRole = 'alone';
  /** Held as the first of several workers. */
  let sharedLock: TrainerLock | null = null;

  const openedStore = (): Promise<Store> => {
    if (store === null) {
      store = openStore();
      store.catch(() => (store = null)); // the next call tries again
    }
    return store;
  };

  /** Whether what trains in this browser is known to be of this tab. */
  const isOwnTab = (): boolean => run.is !== 'ended' || lockRole !== 'alone';

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
    if (run.is === 'ended') return;
    throw new MarbleError('app/already-training', 'A run is already training in this tab.', 'Stop it first.');
  }

  function afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const working = asking.catch(() => undefined).then(work);
    asking = working;
    return working;
  }

  async function answer(question: AskedQuestion): Promise<AnsweredQuestion> {
    refuseWhileTraining();
    const id = question.run;
    const trained = id === null ? null : await lastCheckpoint(id);
    const machine = id === null ? null : (await found(id)).record.machine;
    const backend = (machine?.backend as ChosenBackend | undefined)?.backend ?? 'wasm';
    const { answered } = await import('./models/ask');
    return answered(question, trained, backend, { base, ownFiles, ownAdapter, wasmUrl });
  }

  async function checked(onProgress: Parameters<TrainerService['check']>[0]): Promise<ComputerCheck> {
    refuseWhileTraining();
    const lock = await trainerLock();
    try {
      const { checkComputer } = await import('./models/check-computer');
      return await checkComputer(base, { wasmUrl }, onProgress);
    } finally {
      await lock.release();
    }
  }

  async function begin(beginning: Beginning): Promise<string> {
    await asking.catch(() => undefined);
    refuseWhileTraining();
    const takesLock = lockRole === 'alone';
    const surroundings = { base, ownFiles, ownAdapter, wasmUrl, emit, openedStore, takesLock };
    const control = createRunControl();
    const { memory: before } = run;
    run = { is: 'opening', control, memory: before };
    const opened = await openTraining(beginning, surroundings, control).catch((thrown: unknown) => {
      run = { is: 'ended', memory: before };
      throw thrown;
    });
    const { memory } = opened;
    run = { is: 'running', control, memory };
    emit({ type: 'run', kept: memory.kept });
    emit({ type: 'stage', stage: 'training' });
    void trainOpened(opened, emit).then((end) => {
      run = { is: 'ended', memory };
      emit(end);
    });
    return memory.kept.record.id;
  }

  /** The run of this worker where the storage lacks something of it; null where it has all. */
  function refusedRun(): KeptRun | null {
    return run.memory?.keeper.isRefused() === true ? run.memory.kept : null;
  }

  /** What is known here of this run and may not be in the storage; null where the storage has all, or something newer by another tab. */
  function unwritten(id: string): RunMemory | null {
    const { memory } = run;
    return memory?.kept.record.id === id && !memory.keeper.holdsAll() ? memory : null;
  }

  /** How the last run ended may not be written yet; where another tab trains it since, that is not. */
  async function settle(): Promise<void> {
    if (run.is !== 'ended' || run.memory === null || run.memory.keeper.holdsAll()) return;
    const { kept, keeper } = run.memory;
    await whileIdle(kept.record.id, () => keeper.settle()).catch(() => undefined);
  }

  /** The kept runs, and the one that the storage has refused. */
  async function listedRuns(): Promise<ListedRun[]> {
    await settle();
    const refused = refusedRun()?.record;
    try {
      const records = await (await openedStore()).listRuns();
      const { runId } = isOwnTab() ? { runId: null } : await trainerAtWork();
      const listed = records.map((record) => {
        if (record.id === refused?.id) return refused;
        return record.id === runId ? { ...record, trainsElsewhere: true } : record;
      });
      const isListed = refused === undefined || records.some(({ id }) => id === refused.id);
      return isListed ? listed : [refused, ...listed];
    } catch (thrown) {
      if (refused !== undefined) return [refused];
      throw thrown;
    }
  }

  /** A run from the storage; where that fails, what is known of it here. */
  async function found(id: string): Promise<KeptRun> {
    const refused = refusedRun();
    if (refused?.record.id === id) return refused;
    try {
      const open = await openedStore();
      const { record, ...history } = await open.loadRun(id);
      return { ...history, record, rolloutSteps: await open.rolloutSteps(id) };
    } catch (thrown) {
      const known = run.memory?.kept;
      if (known?.record.id === id) return known;
      throw thrown;
    }
  }

  async function fileOf(id: string): Promise<Blob> {
    const open = await openedStore().catch(() => null);
    const history = withNotes(
      unwritten(id)?.kept ?? (await found(id)),
      await open?.listRuns().catch(() => []),
    );
    const checkpoint = await lastCheckpoint(id);
    const { packRun } = await import('../src/share/run-file');
    return packRun({
      history,
      rollouts: open === null ? [] : readable(open.rolloutBatches(id)),
      checkpoint,
    });
  }

  function current(): RunControl {
    if (run.is !== 'ended') return run.control;
    throw new MarbleError('app/not-training', 'No run is training in this tab.', 'Start or resume one.');
  }

  /** The state of a kept run's policy: in memory it may be newer than in the storage, or older, where another tab went on. */
  async function lastCheckpoint(id: string): Promise<Checkpoint | null> {
    const { memory } = run;
    const known = memory?.kept.record.id === id ? memory.keeper.latest() : null;
    if (known !== null && unwritten(id) !== null) return known;
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
    const { weightsZip } = await import('../src/export/weights-zip');
    const { config } = checkpoint;
    // Beside an adapter stand none of the model's files.
    if (config.training.mode === 'lora') return weightsZip(checkpoint, await found(id), { files: {} });
    const { openOptions } = await import('./models/model-store');
    const files = await openOptions(config, { emit: () => undefined, signal: new AbortController().signal });
    return weightsZip(checkpoint, await found(id), modelSource(config, { base, ownFiles }), files);
  }

  /** An order to the run that trains; a rejection where none does. */
  const ordered = (order: (control: RunControl) => void): Promise<void> =>
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
    async getRollouts(id, step, isDrawn = false) {
      const rollouts = await (await openedStore()).loadRollouts(id, step);
      return isDrawn ? drawnOf(rollouts) : rollouts;
    },
    async setNotes(id, notes) {
      const refused = refusedRun()?.record;
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
      if (run.is === 'ended' && run.memory?.kept.record.id === id) run = { is: 'ended', memory: null };
    },
    runFile: fileOf,
    weightsFile: weightsOf,

    listSweeps: async () => (await openedStore()).listSweeps(),
    putSweep: async (sweep) => (await openedStore()).putSweep(sweep),
    deleteSweep: async (id) => (await openedStore()).deleteSweep(id),

    storedModels: async () => (await import('./models/model-store')).storedModels(),
    deleteStoredModel: async (address) => (await import('./models/model-store')).deleteStoredModel(address),
    chooseFiles(files) {
      ownFiles = files;
      return Promise.resolve();
    },
    async chooseAdapter(files) {
      const chosen = await (await import('./models/chosen-adapter')).chosenAdapter(files);
      ownAdapter = chosen.files;
      return { rank: chosen.rank, alpha: chosen.alpha };
    },
    findCommit: async (repository, branch) =>
      (await import('../src/model/source/hub')).resolveRevision(repository, branch),
    async preflight(config) {
      const { preflight } = await import('./models/preflight');
      return preflight(config, { base, ownFiles, ownAdapter });
    },
    costs: async () => {
      const { presetCosts, presetShapes } = await import('./models/preset-shapes');
      return presetCosts(await presetShapes(base));
    },
    check: (onProgress) => afterOthers(() => checked(onProgress)),
    ask: (question) => afterOthers(() => answer(question)),
    start: async (config, name, wish, tiles) =>
      begin(newRun({ config, name, wish, tiles }, openedStore, emit)),
    resume: async (id, wish) => begin(await keptRun(id, wish, await openedStore(), emit)),

    pause: () => ordered((control) => control.pause()),
    step: () => ordered((control) => control.step()),
    goOn: () => ordered((control) => control.goOn()),
    stop: () => ordered((control) => control.stop()),
    keep: () => ordered((control) => control.keep()),
  };
}
