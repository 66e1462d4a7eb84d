/** One training, from the choice of the backend to its last event: opens, forwards, keeps, and obeys the visitor. */
import { MarbleError, toErrorReport } from '../src/error';
import type { Engine } from '../src/gpu/engine';
import type { Policy } from '../src/model/policy';
import type { ImportedItems } from '../src/rl/data';
import type { Checkpoint, TrainerEvent } from '../src/run/events';
import { historyAfter, recordAfter } from '../src/run/history';
import type { Store } from '../src/store/store';
import { acquireRunLock, whileIdle, type TrainerLock } from '../src/store/trainer-lock';
import { adapterSource, backendFor, modelSource, type ModelPlaces } from './backend';
import type { Beginning, OpenedRun } from './beginning';
import { createCheckpointClock, type CheckpointClock } from '../src/run/checkpoint-clock';
import { machineOf } from './machine';
import { openOptions } from './model-store';
import type { ChosenBackend, KeptRun, UnkeptRun, WorkerEvent } from './protocol';
import { createRunControl, type RunControl } from './run-control';
import { createRunKeeper, type RunKeeper } from './run-keeper';
import { tilesFor } from './tiles';
import { trainerLock } from './trainer-lock';
import { whileLoading, withWhatToLower } from './what-to-lower';

export interface Surroundings extends ModelPlaces {
  wasmUrl: string;
  emit: (event: WorkerEvent) => void;
  openedStore: () => Promise<Store>;
  /** False where the tab's first worker holds the trainer's lock. */
  takesLock: boolean;
}

export interface Training {
  control: RunControl;
  /** The run's id, once it trains. Rejects where it cannot begin. */
  started: Promise<string>;
  /** Resolves when all is over and released, however it ended. */
  ended: Promise<void>;
  /** What is known of the run so far, whether or not the storage took it; null before it trains. */
  kept(): KeptRun | null;
  /** The last checkpoint, whether or not the storage took it. */
  checkpoint(): Checkpoint | null;
  /** What the storage has not got of the run; null where it has all that a run goes on from. */
  unkept(): UnkeptRun | null;
  /** Whether the storage has taken all that is known of the run: what it holds may be newer, by another tab. */
  isKept(): boolean;
  /** Once all is over: tries again to write what the storage has refused, unless another tab trains the run. */
  settle(): Promise<void>;
}

/** What training holds on to and gives back at its end. */
interface Held {
  lock: TrainerLock | null;
  runLock: TrainerLock | null;
  engine: Engine | null;
  policy: Policy | null;
  imported: ImportedItems;
}

/** Events after which nothing of a training comes any more. */
const lastEvents: readonly WorkerEvent['type'][] = ['done', 'stopped', 'failed', 'lost'];

export function startTraining(beginning: Beginning, { emit: tell, ...rest }: Surroundings): Training {
  // Whoever hears of the end may begin the next run at once: it is told when all is released.
  let end: WorkerEvent | null = null;
  const emit = (event: WorkerEvent): void => {
    if (lastEvents.includes(event.type)) end ??= event;
    else tell(event);
  };
  const surroundings: Surroundings = { ...rest, emit };
  const control = createRunControl();
  const held: Held = { lock: null, runLock: null, engine: null, policy: null, imported: {} };
  let run: OpenedRun | null = null;
  let keeper: RunKeeper | null = null;

  async function start(): Promise<string> {
    run = await open(beginning, surroundings, control, held).catch((thrown: unknown) => {
      // A cut download is what was asked for.
      throw control.stopping ? stoppedEarly() : whileLoading(thrown);
    });
    const { record } = run.kept;
    keeper = createRunKeeper(run.store, record.id, (error) => surroundings.emit({ type: 'storage', error }));
    surroundings.emit({ type: 'run', kept: run.kept });
    surroundings.emit({ type: 'stage', stage: 'training' });
    return record.id;
  }

  async function follow(): Promise<void> {
    const { train } = await import('../src/index');
    const clock = createCheckpointClock(run!.resume !== null);
    const events = train(held.engine!, held.policy!, beginning.config, run!.resume ?? undefined, {
      signal: control.signal,
      imported: held.imported,
      checkpointRequested: () => control.checkpointWanted() || clock.isDue(),
    });
    const { lost } = held.engine!;
    // What waits for a lost device may never be told so: the loss itself ends the wait.
    const loss = lost.then((error) => surroundings.emit({ type: 'lost', error: toErrorReport(error) }));
    const following = forward(remembered(events, run!), run!.resume?.step ?? 0, {
      control,
      clock,
      keeper: keeper!,
      emit: surroundings.emit,
    });
    await Promise.race([following, loss]);
  }

  function unkept(): UnkeptRun | null {
    if (run === null) return null;
    const latest = keeper?.latest() ?? null;
    const isKept = latest === null ? run.isResumeKept : keeper!.holdsLatest();
    // A storage that refuses now may also refuse to take the run up again.
    return isKept && keeper?.isRefused() !== true
      ? null
      : { kept: run.kept, checkpoint: latest ?? run.resume };
  }

  const started = start();
  const ended = started
    .then(follow)
    .catch(async (thrown: unknown) => {
      // What is thrown before the start is the answer to the page's call; later it is an event.
      if (keeper === null) return;
      const error = withWhatToLower(toErrorReport(thrown), hasTakenSteps(run!));
      const isLost = error.code === 'gpu/device-lost'; // such a run goes on, so it is kept as one that was cut off
      if (!isLost) {
        remember(run!, { type: 'failed', error });
        keeper.add({ type: 'failed', error });
        await keeper.flush();
      }
      surroundings.emit({ type: isLost ? 'lost' : 'failed', error });
    })
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for what its callback returns
    .finally(async () => {
      await release(held);
      if (end !== null) tell(end);
    });
  return {
    control,
    started,
    ended,
    kept: () => run && run.kept,
    checkpoint: () => keeper?.latest() ?? run?.resume ?? null,
    unkept,
    isKept: () => keeper?.holdsAll() ?? false,
    async settle() {
      const behind = keeper;
      if (run === null || behind === null || behind.holdsAll()) return;
      await whileIdle(run.kept.record.id, () => behind.settle()).catch(() => undefined);
    },
  };
}

/** Gives everything back. What a lost device cannot give back does not hold up the rest: the locks go last. */
async function release({ policy, engine, lock, runLock }: Held): Promise<void> {
  for (const each of [policy, engine]) {
    try {
      each?.dispose();
    } catch {
      // It is gone with its device.
    }
  }
  await runLock?.release();
  await lock?.release();
}

function stoppedEarly(): MarbleError {
  return new MarbleError('app/stopped-early', 'The run was stopped before it began.', 'Start it again.');
}

/** Takes the lock, chooses and opens the backend, loads the model, and only then writes the run down. */
async function open(
  beginning: Beginning,
  surroundings: Surroundings,
  control: RunControl,
  held: Held,
): Promise<OpenedRun> {
  const { config, wish, before } = beginning;
  const { emit, wasmUrl, openedStore, takesLock, base, ownFiles, ownAdapter } = surroundings;
  const places = { base, ownFiles, ownAdapter };
  const unlessStopped = (): void => {
    if (control.stopping) throw stoppedEarly();
  };
  emit({ type: 'stage', stage: 'opening' });
  if (takesLock) held.lock = await trainerLock();
  if (beginning.id !== null) held.runLock = await acquireRunLock(beginning.id);
  held.imported = await beginning.imported();
  // Named one by one, so that what no run needs stays out of the bundle.
  const { chooseBackend, loadPolicy, openEngine, probeAdapter, tuneModel } = await import('../src/index');
  const files = await openOptions(config, { emit, signal: control.signal });
  const choice = await backendFor({ probeAdapter, chooseBackend }, config, wish, before, {
    ...places,
    wasmUrl,
    open: files,
    onTiming: (timing) => emit({ type: 'stage', stage: 'timing', timing }),
  });
  unlessStopped();
  emit({ type: 'stage', stage: 'loading' });
  held.engine = await openEngine({ backend: choice.backend, wasmUrl });
  const lora = config.training.mode === 'lora' ? config.training : undefined;
  held.policy = await loadPolicy(held.engine, modelSource(config, places), {
    lora,
    adapter: adapterSource(config, places),
    open: files,
  });
  unlessStopped();
  const tiles = await tilesFor(tuneModel, held.engine, held.policy, config, before, openedStore);
  unlessStopped();
  const adapter = held.engine.capabilities?.adapterName ?? null;
  const backend: ChosenBackend = { ...choice, adapter, ...(tiles && { tiles }) };
  const run = await beginning.open({ ...machineOf(), backend });
  held.runLock ??= await acquireRunLock(run.kept.record.id);
  return run;
}

/** Takes what passes by into the run's history, so that it can be taken as a file though the storage failed. */
async function* remembered(
  events: AsyncIterable<TrainerEvent>,
  run: OpenedRun,
): AsyncGenerator<TrainerEvent> {
  for await (const given of events) {
    const event =
      given.type === 'failed' ? { ...given, error: withWhatToLower(given.error, hasTakenSteps(run)) } : given;
    remember(run, event);
    yield event;
  }
}

/** Whether the run has taken a step here. */
function hasTakenSteps({ kept, resume }: OpenedRun): boolean {
  return kept.record.step > (resume?.step ?? 0);
}

function remember(run: OpenedRun, event: TrainerEvent): void {
  const { record, rolloutSteps, ...history } = run.kept;
  run.kept = { ...historyAfter(history, event), record: recordAfter(record, event), rolloutSteps };
}

const toldEveryMs = 50;

interface Following {
  control: RunControl;
  clock: CheckpointClock;
  keeper: RunKeeper;
  emit: (event: WorkerEvent) => void;
}

/** @param step - steps taken before, where the run goes on */
async function forward(
  events: AsyncIterable<TrainerEvent>,
  step: number,
  { control, clock, keeper, emit }: Following,
): Promise<void> {
  let taken = step;
  let told = 0;
  for await (const event of events) {
    switch (event.type) {
      case 'checkpoint': {
        const isKept = await keeper.checkpoint(event.checkpoint, event.best === true);
        clock.taken();
        if (isKept) emit({ type: 'kept', step: taken });
        if (await halted(taken, { control, keeper, emit })) return;
        break;
      }
      case 'progress':
        // A step's records are complete when the next one begins.
        if (event.phase === 'rollout' && event.fraction === 0) await keeper.flush();
        // On the CPU there is one after every token.
        if (event.fraction === 0 || performance.now() - told >= toldEveryMs) {
          told = performance.now();
          emit(event);
        }
        break;
      case 'lost':
        // The page opens a new worker and goes on: in the store the run stays as one that was cut off.
        emit(event);
        return;
      case 'done':
      case 'failed':
        keeper.add(event);
        await keeper.flush();
        emit(event);
        return;
      case 'step':
        taken = event.record.step;
        control.stepEnded();
        clock.stepEnded();
        event.record['time/store'] = keeper.secondsSince();
        keeper.add(event);
        emit(event);
        break;
      case 'rollouts':
      case 'eval':
      case 'alert':
        if (event.type === 'alert') control.keep(); // something is about to go wrong
        keeper.add(event);
        emit(event);
        break;
    }
  }
}

/** At a checkpoint, after a step or within one: stands still while the visitor wants it, and says whether the run ends here. */
async function halted(step: number, { control, keeper, emit }: Omit<Following, 'clock'>): Promise<boolean> {
  if (control.standsStill()) {
    await keeper.status('paused');
    emit({ type: 'paused', step });
    await control.released();
    if (!control.stopping) await keeper.status('running');
  }
  if (!control.stopping) return false;
  await keeper.status('stopped');
  emit({ type: 'stopped', step });
  return true;
}
