/**
 * A run in this worker: `startRun` calls `open`, then `loop` until the run ends. `loop` forwards and stores the
 * trainer's events, and pauses on request.
 */
import { isStartEvaluatedLater } from '../src/run/config/evaluation-plan';
import { rolloutsToDraw } from '../src/run/record/rollouts';
import { errorFrom, MarbleError, toErrorReport, type ErrorReport } from '../src/base/error';
import { withCustomReward } from '../src/run/config/custom-reward';
import { createCheckpointClock } from '../src/run/record/checkpoint-clock';
import type { TrainerEvent } from '../src/run/record/events';
import { addEvent, growingHistory, recordAfter, type GrowingHistory } from '../src/run/record/history';
import type { Store } from '../src/store/store';
import type { DownloadProgress } from '../src/store/weights/weight-cache';
import { acquireRunLock, acquireTrainerLock, type TrainerLock } from '../src/store/trainer-lock';
import { adapterSource, backendFor, modelSource, type ModelPlaces } from './models/backend';
import { openOptions } from './models/model-store';
import { plannedRun } from './models/plan';
import {
  backendOf,
  type ChosenBackend,
  type KeptRun,
  type RunEnd,
  type RunRequest,
  type WorkerEvent,
} from './protocol';
import type { RunControl } from './run-control';
import { createRunKeeper, type RunKeeper } from './run-keeper';
import { createRun, importedItems, resumeRun } from './stored-run';

declare const MARBLE_BUILD: string;

/** Resources of the worker that a run uses. */
export interface RunContext extends ModelPlaces {
  emit: (event: WorkerEvent) => void;
  openedStore: () => Promise<Store>;
  /** False if the tab's first worker holds the trainer's lock. */
  takesLock: boolean;
  /** Receives the run before its first step. */
  hold: (memory: RunMemory) => void;
  /** IDs of the worker's runs that storage has refused; the same array until they change. */
  unkept: () => readonly string[];
}

/** A run in this worker's memory, whether or not it is stored. */
export interface RunMemory {
  /** Its steps begin after the ones that memory has dropped. */
  kept: GrowingHistory & KeptRun;
  keeper: RunKeeper;
}

/** Most stored steps that memory keeps. They remain if the storage is cleared during the run. */
const MOST_STORED = 1024;

/** A run with its engine and model, before its first step. */
type OpenRun = Awaited<ReturnType<typeof open>>;

/**
 * Opens a run and trains it in the background. It ends after all locks are released, so the page can start the next run
 * immediately.
 *
 * @returns the run's memory, once it is open
 */
export async function startRun(
  request: RunRequest,
  context: RunContext,
  control: RunControl,
): Promise<RunMemory> {
  const run = await open(request, context, control).catch((thrown: unknown) => {
    control.ended({ how: control.isStopping ? 'stopped' : 'failed' });
    throw thrown;
  });
  const { memory, engine, parts } = run;
  const { kept } = memory;
  context.emit({ type: 'run', kept, parts });
  control.opened(kept.record.id, context.unkept());
  // Waits on a lost device may never settle, so the loss itself ends them.
  const loss = engine.lost.then((thrown) => Promise.reject(thrown));
  void Promise.race([loop(run, context), loss])
    .catch((thrown: unknown) => endedBy(memory, toErrorReport(thrown)))
    .then(async (end) => {
      await run.release();
      control.update({ unkept: context.unkept() });
      control.ended(end);
    });
  return memory;
}

/** Acquires the lock, opens the backend and loads the model before it stores the run. */
async function open(request: RunRequest, context: RunContext, control: RunControl) {
  const { emit, wasmUrl, startHelper, threads, openedStore, takesLock, hold, unkept } = context;
  const id = 'id' in request ? request.id : null;
  const locks: TrainerLock[] = [];
  const onDevice: { dispose(): void }[] = [];
  const onFailure = (error: ErrorReport): void => emit({ type: 'storage', error });
  const unlessStopped = (): void => {
    if (!control.isStopping) return;
    throw new MarbleError('app/stopped-early', 'The run was stopped before it began.', 'Start it again.');
  };

  /** Releases the device, then the locks. Errors of a lost device do not prevent the rest. */
  const release = async (): Promise<void> => {
    for (const each of onDevice.toReversed()) {
      try {
        each.dispose();
      } catch {
        // the device is lost
      }
    }
    for (const lock of locks.toReversed()) await lock.release();
  };

  try {
    const stored = 'id' in request ? (await (await openedStore()).loadRun(request.id)).record : null;
    const config = 'id' in request ? stored!.config : request.config;
    const before = stored && backendOf(stored);
    withCustomReward(config, undefined); // the page cannot supply a function
    if (takesLock) locks.push(await trainerLock());
    if (id !== null) locks.push(await acquireRunLock(id));
    const imported = await importedItems(config, openedStore);
    // Named imports keep unused code out of the bundle.
    const { openEngine, loadPolicy } = await import('../src/index');
    const onProgress = (download: DownloadProgress): void => control.update({ download });
    const files = await openOptions(config, {
      onProgress,
      onFailure(error) {
        onFailure(error);
        control.update({ download: null }); // the download has no part that is kept
      },
      signal: control.signal,
    });
    const choice = await backendFor(config, request.backend, before, context, files);
    unlessStopped();
    control.update({ stage: 'model', download: null });
    const engine = await openEngine({
      ...{ backend: choice.backend, wasmUrl, startHelper, threads },
      fma: before === null || before.fma === true,
    });
    onDevice.push(engine);
    const source = modelSource(config, context);
    const planned = await plannedRun(engine, { source, open: files, threads }, config, imported).catch(
      orNoPlan,
    );
    if (planned?.refusal) throw errorFrom(planned.refusal);
    unlessStopped();
    const lora = config.training.mode === 'lora' ? config.training : undefined;
    const adapter = adapterSource(config, context);
    const policy = await loadPolicy(engine, source, { lora, adapter, open: files });
    onDevice.push(policy);
    unlessStopped();
    const { adapterName = null } = engine.capabilities ?? {};
    const fma = lora && engine.fma && { fma: true };
    const backend: ChosenBackend = { ...choice, adapter: adapterName, ...fma };
    // Determinism is guaranteed only for the same machine, browser and build.
    const { userAgent: browser, hardwareConcurrency: cores } = navigator;
    const machine = { browser, cores, threads: engine.threads, build: MARBLE_BUILD, backend };
    const { kept, resume, store, refusal } =
      'id' in request
        ? await resumeRun(request.id, machine, await openedStore(), onFailure)
        : await createRun(config, machine, request, openedStore, onFailure);
    const { record, rolloutSteps } = kept;
    if (id === null) locks.push(await acquireRunLock(record.id));
    const onRefusal = (error: ErrorReport): void => {
      onFailure(error);
      control.update({ unkept: unkept() });
    };
    const keeper = createRunKeeper(store, record.id, onRefusal, resume, refusal);
    const memory: RunMemory = { kept: { ...growingHistory(kept), record, rolloutSteps }, keeper };
    hold(memory);
    return {
      ...{ config, isAttended: request.isAttended === true, control, memory, resume, engine, policy },
      ...{ parts: planned?.parts ?? null, imported, release },
    };
  } catch (thrown) {
    await release();
    unlessStopped(); // stopping also aborts a download
    throw thrown;
  }
}

/** Minimum milliseconds between two progress messages of a phase, or of several phases if a step takes less. */
const toldEveryMs = 50;
/** Minimum milliseconds between two writes of the log. A step of a small model takes less time than a write. */
const storedEveryMs = 250;

/** Passes each trainer event to memory, storage and page. */
async function loop(run: OpenRun, { emit, unkept }: RunContext): Promise<RunEnd> {
  const { config, isAttended, control, memory, resume, engine, policy, imported } = run;
  const { keeper } = memory;
  const { train } = await import('../src/index');
  const clock = createCheckpointClock(resume !== null);
  let told = 0;
  let stored = -Infinity;
  /** True if the last step took less than the time between two messages. */
  let isShort = false;
  const events = train(engine, policy, config, resume ?? undefined, {
    signal: control.signal,
    imported,
    isPlanned: true,
    anyway: true, // an attended run pauses at the alert, and the visitor decides
    evaluatesStartLater: isStartEvaluatedLater(config),
    checkpointRequested: () => control.checkpointWanted() || clock.isDue(),
  });
  for await (const event of events) {
    if (event.type === 'lost' || event.type === 'failed') return endedBy(memory, event.error);
    if (event.type === 'step') event.record['time/store'] = keeper.secondsSince();
    remember(memory, event);
    switch (event.type) {
      case 'checkpoint': {
        const isKept = await keeper.checkpoint(event.checkpoint);
        clock.taken();
        control.update({ unkept: unkept() });
        if (isKept) emit({ type: 'kept' });
        await pauseIfAsked(run);
        if (!control.isStopping) break;
        await keeper.status('stopped');
        return { how: 'stopped' };
      }
      case 'progress':
        // A step's records are complete when the next one begins.
        if (
          event.phase === 'rollout' &&
          event.fraction === 0 &&
          performance.now() - stored >= storedEveryMs
        ) {
          await keeper.flush();
          dropStored(memory);
          stored = performance.now();
        }
        // The CPU reports after every token. Phases of a short step are too short to read.
        if ((event.fraction === 0 && !isShort) || performance.now() - told >= toldEveryMs) {
          told = performance.now();
          emit(event);
        }
        await pauseIfAsked(run);
        break;
      case 'done':
        keeper.add(event);
        await keeper.flush();
        return { how: 'done' };
      case 'step':
        control.stepEnded();
        clock.stepEnded();
        isShort = 1000 * event.record.step_time < toldEveryMs;
        keeper.add(event);
        emit(event);
        break;
      case 'rollouts':
        keeper.add(event);
        emit({ ...event, rollouts: [...rolloutsToDraw(event.rollouts)] });
        break;
      case 'eval':
      case 'alert':
        if (event.type === 'alert') {
          control.keep(); // the run may be about to fail
          if (event.alert.code === 'rl/no-signal' && isAttended) control.pause();
        }
        keeper.add(event);
        emit(event);
        break;
    }
  }
  throw new Error('The trainer has ended without a word.');
}

function remember({ kept }: RunMemory, event: TrainerEvent): void {
  addEvent(kept, event);
  kept.record = recordAfter(kept.record, event);
}

/** Drops early steps of a long run that are stored, so that memory is independent of the run's length. */
function dropStored({ kept: { steps }, keeper }: RunMemory): void {
  if (steps.length > 2 * MOST_STORED && keeper.holdsAll()) steps.splice(0, steps.length - MOST_STORED);
}

/** Pauses between two steps or within one. */
async function pauseIfAsked({ control, memory: { keeper } }: OpenRun): Promise<void> {
  if (!control.mustPause()) return;
  await keeper.status('paused');
  await control.paused();
  if (!control.isStopping) await keeper.status('running');
}

/**
 * Stores the end by an error. A run with a lost device resumes in another worker, so it is stored as
 * interrupted. Any other run is stored as failed.
 */
async function endedBy(memory: RunMemory, error: ErrorReport): Promise<RunEnd> {
  if (error.code === 'gpu/device-lost') return { how: 'lost', error };
  const event = { type: 'failed' as const, error };
  remember(memory, event);
  memory.keeper.add(event);
  await memory.keeper.flush();
  return { how: 'failed', error };
}

/** Acquires the lock that one trainer of all tabs holds. @throws MarbleError `store/other-tab` */
export async function trainerLock(): Promise<TrainerLock> {
  const lock = await acquireTrainerLock();
  if (lock !== null) return lock;
  throw new MarbleError(
    'store/other-tab',
    'Another tab of this browser is training.',
    'Stop it there, or close that tab, to train in this one.',
  );
}

/**
 * Ignores errors of planning. The trainer then fails with the same error and the run is stored as failed, so a sweep
 * can continue after it.
 */
function orNoPlan(thrown: unknown): null {
  if (thrown instanceof MarbleError) return null;
  throw thrown;
}
