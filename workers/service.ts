/**
 * The worker's interface for the page, based on the library and the store. One run trains in a worker at a time.
 * Only workers of one tab train at once. Every call may throw a `MarbleError`.
 */
import { rolloutsToDraw } from '../src/run/record/rollouts';
import { errorFrom, MarbleError, type ErrorReport } from '../src/base/error';
import { nameAdapter, probeAdapter } from '../src/gpu/capabilities';
import type { StartHelper } from '../src/gpu/threads/pool';
import type { RunConfig } from '../src/run/config/config';
import type { Checkpoint, StepRecord } from '../src/run/record/events';
import type { Rollout } from '../src/run/record/rollout-record';
import type { SweepRecord } from '../src/store/records';
import { storeOnDemand } from '../src/store/store';
import { runsInTraining, whileIdle, type TrainerLock } from '../src/store/trainer-lock';
import {
  backendOf,
  runNotKept,
  type AskedQuestion,
  type BackendWish,
  type Capabilities,
  type KeptRun,
  type ListedRun,
  type LockRole,
  type RunCommand,
  type RunRequest,
  type WorkerEvent,
} from './protocol';
import { createRunControl, type RunControl } from './run-control';
import { modelSource, type ModelPlaces } from './models/backend';
import { startRun, trainerLock, type RunMemory } from './run';

/** Steps in a message to the page. */
const STEPS_AT_ONCE = 2_000;

/** Yields the readable rollouts of a run. A storage failure only omits the rest of them. */
async function* readable(batches: AsyncIterable<Rollout[]>): AsyncGenerator<Rollout[], void, void> {
  try {
    yield* batches;
  } catch {
    // The rest of the file is useful without them.
  }
}

/** The error if the storage has lost the first steps of a run, which memory has dropped. */
const stepsLost = (count: number): ErrorReport => ({
  code: 'store/steps-lost',
  message: `The browser’s storage no longer has the first ${count} steps of this run.`,
  nextStep: `The page and a saved file show the run from step ${count + 1} on. Its last weights are complete.`,
});

export type TrainerService = ReturnType<typeof createTrainerService>;

/**
 * @param wasmUrl - URL of tfjs's wasm file
 * @param startHelper - starts a helper thread of wasm; without it one thread computes
 */
export function createTrainerService(wasmUrl: string, startHelper?: StartHelper) {
  const places: ModelPlaces = {
    ...{ base: '', wasmUrl, startHelper, ownFiles: null },
    get threads() {
      return lockRole === 'alone' ? navigator.hardwareConcurrency : 1; // other workers train concurrently
    },
  };
  let emit: (event: WorkerEvent) => void = () => undefined;
  const openedStore = storeOnDemand();
  /** The last run, which may have ended. */
  let control: RunControl | null = null;
  /** The last run that was open, and earlier ones that storage may lack, by their IDs. */
  const held = new Map<string, RunMemory>();
  /** Runs whose lost steps were reported. */
  const told = new Set<string>();
  let refusedIds: readonly string[] = [];
  /** The pending question or plan, which occupies the device until it settles. */
  let asking: Promise<unknown> = Promise.resolve();
  /** Aborts all pending requests that do not belong to a run. */
  let requests = new AbortController();
  let lockRole: LockRole = 'alone';
  /** Held by the first of several workers. */
  let sharedLock: TrainerLock | null = null;

  const isTraining = (): boolean => control !== null && control.state.is !== 'ended';

  /** IDs of the runs that another tab trains; empty while this tab trains. */
  const trainedElsewhere = async (): Promise<readonly string[]> =>
    isTraining() || lockRole !== 'alone' ? [] : runsInTraining();

  async function capabilities(): Promise<Capabilities> {
    const adapter = await probeAdapter();
    const { storage } = navigator as { storage?: StorageManager };
    const estimate = await storage?.estimate().catch(() => undefined); // some browsers refuse
    return {
      adapter: adapter === null ? null : nameAdapter(adapter.info),
      storage: estimate === undefined ? null : { usage: estimate.usage ?? 0, quota: estimate.quota ?? 0 },
    };
  }

  function refuseWhileTraining(): void {
    if (!isTraining()) return;
    throw new MarbleError('app/already-training', 'A run is already training in this tab.', 'Stop it first.');
  }

  /** Serialises work on the device, which `cancel` aborts. Refuses it during a run. */
  function onIdleDevice<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = requests;
    const working = asking
      .catch(() => undefined)
      .then(() => {
        refuseWhileTraining();
        return work(signal);
      });
    asking = working;
    return working;
  }

  function hold(memory: RunMemory): void {
    for (const [id, { keeper }] of held) if (keeper.holdsAll()) held.delete(id);
    held.set(memory.kept.record.id, memory);
  }

  const isRefused = (id: string): boolean => held.get(id)?.keeper.isRefused() === true;

  function unkept(): readonly string[] {
    const ids = [...held.keys()].filter(isRefused);
    if (ids.join() !== refusedIds.join()) refusedIds = ids;
    return refusedIds;
  }

  function cancelRequests(): void {
    requests.abort();
    requests = new AbortController();
  }

  async function start(request: RunRequest): Promise<string> {
    if ('id' in request && isRefused(request.id)) {
      await settle(); // a resume starts from the stored part of a run and would lose the rest
      if (isRefused(request.id)) throw errorFrom(runNotKept);
    }
    refuseWhileTraining();
    const opening = createRunControl((state) => emit({ type: 'state', state }), unkept());
    control = opening;
    await asking.catch(() => undefined);
    const takesLock = lockRole === 'alone';
    const context = { ...places, emit, openedStore, takesLock, hold, unkept };
    return (await startRun(request, context, opening)).kept.record.id;
  }

  /**
   * The run in memory if storage may be incomplete. Null if storage is complete, or another tab has stored something
   * newer.
   */
  function unwritten(id: string): RunMemory | null {
    const found = held.get(id);
    return found?.keeper.holdsAll() === false ? found : null;
  }

  /** A run in memory, after the stored steps that memory has dropped. */
  async function wholeRun({ kept }: RunMemory): Promise<KeptRun> {
    const later = [...kept.steps];
    const first = later.at(0)?.step ?? 1;
    if (first === 1) return { ...kept, steps: later };
    const { id } = kept.record;
    let isGone = false;
    const stored = await openedStore()
      .then((open) => open.loadRun(id))
      .catch((thrown: unknown) => {
        isGone = thrown instanceof MarbleError && thrown.code === 'store/no-run';
        return { steps: [] }; // the rest of the run is useful without them
      });
    if (isGone && !told.has(id)) emit({ type: 'storage', error: stepsLost(first - 1) });
    if (isGone) told.add(id);
    return { ...kept, steps: [...stored.steps.filter(({ step }) => step < first), ...later] };
  }

  /** Stores the pending parts of ended runs, except runs that another tab has trained since. */
  async function settle(): Promise<void> {
    for (const [id, { keeper }] of held) {
      const isAtWork = isTraining() && control?.state.id === id;
      if (!isAtWork && !keeper.holdsAll()) {
        await whileIdle(id, () => keeper.settle()).catch(() => undefined);
      }
    }
    control?.update({ unkept: unkept() });
  }

  /** Lists the stored runs and the refused ones. */
  async function listRuns(): Promise<ListedRun[]> {
    await settle();
    const refused = unkept().map((id) => held.get(id)!.kept.record);
    try {
      const records = await (await openedStore()).listRuns();
      const runIds = await trainedElsewhere();
      const listed = records.map((record) => {
        if (isRefused(record.id)) return held.get(record.id)!.kept.record;
        return runIds.includes(record.id) ? { ...record, trainsElsewhere: true } : record;
      });
      const isListed = (id: string): boolean => records.some((record) => record.id === id);
      return [...refused.filter(({ id }) => !isListed(id)).toReversed(), ...listed];
    } catch (thrown) {
      if (refused.length > 0) return refused.toReversed();
      throw thrown;
    }
  }

  /** Writes the finished steps of a run that trains here, which its loop writes at intervals. */
  async function writeLog(id: string): Promise<void> {
    if (isTraining() && control?.state.id === id) await held.get(id)?.keeper.flush();
  }

  /** Runs that the page reads in parts. */
  const reading = new Map<string, KeptRun>();

  /** Loads a run from storage, with this worker's memory as the fallback. */
  async function getRun(id: string): Promise<KeptRun> {
    if (isRefused(id)) return wholeRun(held.get(id)!);
    try {
      const open = await openedStore();
      await writeLog(id);
      return { ...(await open.loadRun(id)), rolloutSteps: await open.rolloutSteps(id) };
    } catch (thrown) {
      const found = held.get(id);
      if (found !== undefined) return wholeRun(found);
      throw thrown;
    }
  }

  /**
   * Returns the last checkpoint of a stored run. Memory may be newer than storage, or older if another tab resumed
   * the run.
   */
  async function lastCheckpoint(id: string): Promise<Checkpoint | null> {
    const known = held.get(id)?.keeper.latest() ?? null;
    if (known !== null && unwritten(id) !== null) return known;
    try {
      return (await (await openedStore()).loadCheckpoint(id))?.checkpoint ?? known;
    } catch (thrown) {
      if (known === null) throw thrown;
      return known;
    }
  }

  return {
    /** @param base - URL of the folder that holds index.html and `models/` */
    connect(base: string, onEvent: (event: WorkerEvent) => void) {
      places.base = base;
      emit = onEvent;
      return capabilities();
    },
    capabilities,
    /** Aborts the requests of pending questions, plans and look-ups, which reject with `model/aborted`. */
    cancel() {
      cancelRequests();
      return Promise.resolve();
    },
    /** Resolves immediately, unless the worker is blocked. */
    isAlive: () => Promise.resolve(true),
    /** Throws `store/other-tab` if the `first` worker of this tab cannot acquire the lock. */
    async lockAs(role: LockRole) {
      if (role === 'first') sharedLock ??= await trainerLock();
      else {
        await sharedLock?.release();
        sharedLock = null;
      }
      lockRole = role;
    },

    listRuns,
    /** Returns a run with its first steps only. A message with all steps of a long run blocks the page. */
    async getRun(id: string): Promise<KeptRun> {
      const run = await getRun(id);
      const { steps } = run;
      const { length } = steps;
      if (length <= STEPS_AT_ONCE) return run;
      reading.set(id, run);
      return { ...run, steps: steps.slice(0, STEPS_AT_ONCE), stepCount: length };
    },
    /** Returns the next steps of a run, from an index on. */
    async getSteps(id: string, from: number): Promise<readonly StepRecord[]> {
      const { steps } = reading.get(id) ?? (await getRun(id));
      if (from + STEPS_AT_ONCE >= steps.length) reading.delete(id);
      return steps.slice(from, from + STEPS_AT_ONCE);
    },
    /** Returns the rollouts of one step. With `isDrawn` it returns only those in a picture. */
    async getRollouts(id: string, step: number, isDrawn = false): Promise<readonly Rollout[]> {
      const open = await openedStore();
      await writeLog(id);
      const rollouts = await open.loadRollouts(id, step);
      return isDrawn ? rolloutsToDraw(rollouts) : rollouts;
    },
    /** Deletes the run from storage and from memory. Throws `store/run-in-use` while it trains, here or in another tab. */
    async deleteRun(id: string) {
      const open = await openedStore().catch((thrown: unknown) => {
        if (!isRefused(id)) throw thrown;
        return null;
      });
      await whileIdle(id, () => open?.deleteRun(id) ?? Promise.resolve());
      if (!isTraining() || control?.state.id !== id) held.delete(id);
      control?.update({ unkept: unkept() });
    },
    /** Returns the whole run with its last checkpoint as one file, including data that storage refused. */
    async runFile(id: string) {
      const open = await openedStore().catch(() => null);
      // A run that trains continues meanwhile, and the history must reach the checkpoint.
      const checkpoint = await lastCheckpoint(id);
      await writeLog(id);
      const pending = unwritten(id);
      const history = await (pending === null ? getRun(id) : wholeRun(pending));
      const { packRun } = await import('../src/share/run-file');
      const rollouts = open === null ? [] : readable(open.rolloutBatches(id));
      return packRun({ history, rollouts, checkpoint });
    },
    /** Returns the trained weights of the last checkpoint as a zip: a PEFT adapter, or the whole small model. */
    async weightsFile(id: string) {
      const checkpoint = await lastCheckpoint(id);
      if (checkpoint === null) {
        throw new MarbleError(
          'store/no-checkpoint',
          'This run has no checkpoint yet.',
          'Let it train a few steps.',
        );
      }
      const { weightsZip } = await import('../src/export/weights-zip');
      const { config } = checkpoint;
      // An adapter's zip contains no files of the model.
      if (config.training.mode === 'lora') return weightsZip(checkpoint, await getRun(id), { files: {} });
      const { openOptions } = await import('./models/model-store');
      return weightsZip(checkpoint, await getRun(id), modelSource(config, places), await openOptions(config));
    },

    listSweeps: async () => (await openedStore()).listSweeps(),
    /** Stores a new sweep, or the changes of a known one. The page runs its queue with `start`. */
    putSweep: async (sweep: SweepRecord) => (await openedStore()).putSweep(sweep),
    /** Deletes the sweep but keeps its runs. */
    deleteSweep: async (id: string) => (await openedStore()).deleteSweep(id),

    /** Lists models from elsewhere that are stored in this browser, completely or partially. */
    storedModels: async () => (await import('./models/model-store')).storedModels(),
    /** Deletes the stored files of the model from that folder. */
    deleteStoredModel: async (address: string) =>
      (await import('./models/model-store')).deleteStoredModel(address),
    /** Sets the files for runs with a model of kind `files`, until others are chosen. */
    chooseFiles(files: Record<string, Blob>) {
      places.ownFiles = files;
      return Promise.resolve();
    },
    /** Resolves a branch or tag of a Hub repository to its current commit, 40 hexadecimal digits. */
    findCommit: async (repository: string, branch: string) =>
      (await import('../src/model/source/hub')).resolveRevision(repository, branch, {
        signal: requests.signal,
      }),
    /** Requests the file sizes of a model from elsewhere, without fetching its weights. */
    preflight: (config: RunConfig, wish: BackendWish) =>
      onIdleDevice(async (signal) =>
        (await import('./models/plan')).preflight(config, wish, places, openedStore, signal),
      ),
    /** Estimates the requirements of a run. Of its model it reads at most `config.json`. Throws `app/already-training`. */
    plan: (config: RunConfig, wish: BackendWish) =>
      onIdleDevice(async (signal) =>
        (await import('./models/plan')).plan(config, wish, places, openedStore, signal),
      ),
    /** Asks a model a question. Throws `app/already-training` while a run here occupies the device. */
    ask: (question: AskedQuestion) =>
      onIdleDevice(async (signal) => {
        const { run: id } = question;
        const trained = id === null ? null : await lastCheckpoint(id);
        const ran = id === null ? null : backendOf((await getRun(id)).record);
        const { answered } = await import('./models/ask');
        return answered(question, trained, ran?.backend ?? 'wasm', places, signal);
      }),
    /** Opens a run and returns its ID. Progress follows as events, until the state is `ended`. */
    start,
    /** Gives a command to the run, which answers with its state. Throws `app/not-training`. */
    command(name: RunCommand) {
      if (control === null || !isTraining()) {
        return Promise.reject(
          new MarbleError('app/not-training', 'No run is training in this tab.', 'Start or resume one.'),
        );
      }
      if (name === 'stop') cancelRequests(); // a run waits for them before it opens
      control[name]();
      return Promise.resolve();
    },
  };
}
