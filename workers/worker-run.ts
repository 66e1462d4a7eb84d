/**
 * A run in this worker, from the choice of the backend to its last event. It opens the run, forwards and stores its
 * events, and pauses on request.
 */
import { isStartEvaluatedLater } from '../src/run/config/evaluation-plan';
import { rolloutsToDraw } from '../src/run/record/drawn-rollouts';
import { MarbleError, toErrorReport, type ErrorReport } from '../src/base/error';
import type { Engine } from '../src/gpu/engine';
import type { Policy } from '../src/model/policy';
import type { ImportedItems } from '../src/rl/data';
import { withCustomReward } from '../src/run/config/custom-reward';
import type { RunParts } from '../src/run/estimate';
import { createCheckpointClock } from '../src/run/record/checkpoint-clock';
import type { Checkpoint, TrainerEvent } from '../src/run/record/events';
import { addEvent, growingHistory, recordAfter, type GrowingHistory } from '../src/run/record/history';
import type { EvalReport } from '../src/run/record/evaluation';
import { fetchFirstEvaluation } from './models/shipped';
import type { Store } from '../src/store/store';
import { acquireRunLock, acquireTrainerLock, type TrainerLock } from '../src/store/trainer-lock';
import { adapterSource, backendFor, modelSource, type ModelPlaces } from './models/backend';
import { importedItems, type Beginning } from './beginning';
import { openOptions } from './models/model-store';
import { plannedRun } from './models/plan';
import { otherTabTrains, type ChosenBackend, type KeptRun, type WorkerEvent } from './protocol';
import type { RunControl } from './run-control';
import { createRunKeeper, type RunKeeper } from './run-keeper';

declare const MARBLE_BUILD: string;

export interface Surroundings extends ModelPlaces {
  emit: (event: WorkerEvent) => void;
  openedStore: () => Promise<Store>;
  /** False if the tab's first worker holds the trainer's lock. */
  takesLock: boolean;
  /** Number of wasm threads. */
  threads: number;
}

/** A run in this worker's memory, whether or not it is stored. */
export interface RunMemory {
  kept: GrowingHistory & Omit<KeptRun, keyof GrowingHistory>;
  keeper: RunKeeper;
}

/** The run of this worker. While a run opens, `memory` is still that of the previous one. */
export type WorkerRun =
  | { is: 'opening'; control: RunControl; memory: RunMemory | null }
  | { is: 'running'; control: RunControl; memory: RunMemory }
  | { is: 'ended'; memory: RunMemory | null };

/** State of an open run. */
export interface OpenedTraining {
  config: Beginning['config'];
  control: RunControl;
  memory: RunMemory;
  resume: Checkpoint | null;
  engine: Engine;
  policy: Policy;
  /** Planned seconds of the run's parts; null if planning failed. */
  parts: RunParts<number> | null;
  imported: ImportedItems;
  firstEvaluation: EvalReport | undefined;
  /** Releases all resources and locks. */
  release(): Promise<void>;
}

/** Events that end a training. */
export type LastEvent = Extract<WorkerEvent, { type: 'done' | 'stopped' | 'failed' | 'lost' }>;

/** Acquires the lock that one trainer of all tabs holds. @throws MarbleError `store/other-tab` */
export async function trainerLock(): Promise<TrainerLock> {
  const lock = await acquireTrainerLock();
  if (lock !== null) return lock;
  const { code, message, nextStep } = otherTabTrains;
  throw new MarbleError(code, message, nextStep);
}

/**
 * Ignores errors of planning. The trainer then fails with the same error and the run is stored as failed, so a sweep
 * can continue after it.
 */
function orNoPlan(thrown: unknown): null {
  if (thrown instanceof MarbleError) return null;
  throw thrown;
}

/** Acquires the lock, opens the backend and loads the model before it stores the run. */
export async function openTraining(
  beginning: Beginning,
  surroundings: Surroundings,
  control: RunControl,
): Promise<OpenedTraining> {
  const { config, wish, before } = beginning;
  const { emit, wasmUrl, startHelper, threads, openedStore, takesLock, base } = surroundings;
  const locks: TrainerLock[] = [];
  const onDevice: { dispose(): void }[] = [];
  const unlessStopped = (): void => {
    if (!control.stopping) return;
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
    emit({ type: 'stage', stage: 'opening' });
    withCustomReward(config, undefined); // the page cannot supply a function
    if (takesLock) locks.push(await trainerLock());
    if (beginning.id !== null) locks.push(await acquireRunLock(beginning.id));
    const imported = await importedItems(config, openedStore);
    // Named imports keep unused code out of the bundle.
    const { probeAdapter, chooseBackend, openEngine, loadPolicy } = await import('../src/index');
    const open = await openOptions(config, emit, control.signal);
    const choice = await backendFor(
      { probeAdapter, chooseBackend },
      config,
      wish,
      before,
      surroundings,
      open,
    );
    unlessStopped();
    emit({ type: 'stage', stage: 'loading' });
    const engine = await openEngine({
      ...{ backend: choice.backend, wasmUrl, startHelper, threads },
      fma: before === null || before.fma === true,
    });
    onDevice.push(engine);
    const source = modelSource(config, surroundings);
    const planned = await plannedRun(engine, { source, open }, config, imported).catch(orNoPlan);
    if (planned?.refusal) {
      const { code, message, nextStep } = planned.refusal;
      throw new MarbleError(code, message, nextStep);
    }
    unlessStopped();
    const lora = config.training.mode === 'lora' ? config.training : undefined;
    const adapter = adapterSource(config, surroundings);
    const policy = await loadPolicy(engine, source, { lora, adapter, open });
    onDevice.push(policy);
    unlessStopped();
    const { adapterName = null } = engine.capabilities ?? {};
    const fma = lora && engine.fma && { fma: true };
    const backend: ChosenBackend = { ...choice, adapter: adapterName, ...fma };
    // Determinism is guaranteed only for the same machine, browser and build.
    const { userAgent: browser, hardwareConcurrency: cores } = navigator;
    const run = await beginning.open({
      ...{ browser, cores, threads: engine.threads },
      ...{ build: MARBLE_BUILD, backend },
    });
    const { kept, resume } = run;
    const { record, rolloutSteps } = kept;
    if (beginning.id === null) locks.push(await acquireRunLock(record.id));
    const onFailure = (error: ErrorReport): void => emit({ type: 'storage', error });
    const keeper = createRunKeeper(run.store, record.id, onFailure, resume);
    const memory = { kept: { ...growingHistory(kept), record, rolloutSteps }, keeper };
    const isNew = resume === null;
    const firstEvaluation = isNew ? await fetchFirstEvaluation(config, choice.backend, base) : undefined;
    const parts = planned?.parts ?? null;
    return { config, control, memory, resume, engine, policy, parts, imported, firstEvaluation, release };
  } catch (thrown) {
    await release();
    unlessStopped(); // stopping also aborts a download
    throw thrown;
  }
}

/**
 * Trains an open run to its end and releases it. Only then does it return the last event, so the page can begin the
 * next run immediately.
 *
 * @param isAttended - whether the run pauses if its first step has no signal
 */
export async function trainOpened(
  opened: OpenedTraining,
  emit: (event: WorkerEvent) => void,
  isAttended: boolean,
): Promise<LastEvent> {
  // Waits on a lost device may never settle, so the loss itself ends them.
  const loss = opened.engine.lost.then((thrown) => endedBy(opened, toErrorReport(thrown)));
  try {
    return await Promise.race([relay(opened, emit, isAttended), loss]);
  } catch (thrown) {
    return await endedBy(opened, toErrorReport(thrown));
  } finally {
    await opened.release();
  }
}

const toldEveryMs = 50;

/** Passes each trainer event to memory, storage and page. */
async function relay(
  opened: OpenedTraining,
  emit: (event: WorkerEvent) => void,
  isAttended: boolean,
): Promise<LastEvent> {
  const { config, control, memory, resume, engine, policy, imported, firstEvaluation } = opened;
  const { kept, keeper } = memory;
  const { train } = await import('../src/index');
  const clock = createCheckpointClock(resume !== null);
  let told = 0;
  const events = train(engine, policy, config, resume ?? undefined, {
    signal: control.signal,
    imported,
    isPlanned: true,
    firstEvaluation,
    watchesTokens: true,
    anyway: true, // an attended run pauses at the alert, and the visitor decides
    evaluatesStartLater: isStartEvaluatedLater(config),
    checkpointRequested: () => control.checkpointWanted() || clock.isDue(),
  });
  for await (const event of events) {
    if (event.type === 'lost' || event.type === 'failed') return endedBy(opened, event.error);
    remember(memory, event);
    switch (event.type) {
      case 'checkpoint': {
        const isKept = await keeper.checkpoint(event.checkpoint, event.best === true);
        clock.taken();
        if (isKept) emit({ type: 'kept', step: kept.record.step });
        await standStill(opened, emit);
        if (!control.stopping) break;
        await keeper.status('stopped');
        return { type: 'stopped', step: kept.record.step };
      }
      case 'progress':
        // A step's records are complete when the next one begins.
        if (event.phase === 'rollout' && event.fraction === 0) await keeper.flush();
        // The CPU reports after every token.
        if (event.fraction === 0 || performance.now() - told >= toldEveryMs) {
          told = performance.now();
          emit(event);
        }
        await standStill(opened, emit);
        break;
      case 'done':
        keeper.add(event);
        await keeper.flush();
        return event;
      case 'step':
        control.stepEnded();
        clock.stepEnded();
        event.record['time/store'] = keeper.secondsSince();
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
          if (event.alert.code === 'rl/no-signal' && isAttended && !control.stopping) control.pause();
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

/** Waits during a pause, between two steps or within one. */
async function standStill(
  { control, memory: { kept, keeper } }: OpenedTraining,
  emit: (event: WorkerEvent) => void,
): Promise<void> {
  if (!control.standsStill()) return;
  await keeper.status('paused');
  emit({ type: 'paused', step: kept.record.step });
  await control.released();
  if (!control.stopping) await keeper.status('running');
}

/**
 * Returns the last event after an error. A run with a lost device resumes in another worker, so it is stored as
 * interrupted. Any other run is stored as failed.
 */
async function endedBy({ memory }: OpenedTraining, error: ErrorReport): Promise<LastEvent> {
  if (error.code === 'gpu/device-lost') return { type: 'lost', error };
  const event = { type: 'failed' as const, error };
  remember(memory, event);
  memory.keeper.add(event);
  await memory.keeper.flush();
  return event;
}
