import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError } from '../../src/error';
import type { Checkpoint, TrainerEvent } from '../../src/run/events';
import { newRunRecord } from '../../src/store/runs';
import type { Store } from '../../src/store/store';
import { newRun } from '../../workers/beginning';
import type { UnkeptRun, WorkerEvent } from '../../workers/protocol';
import { startTraining, type Training } from '../../workers/training';
import { unkeptRun } from '../../workers/unkept-run';
import { example } from '../share/example-config';

/** What the library does in the place of training. */
const library = vi.hoisted(() => ({
  train: async function* (): AsyncGenerator<TrainerEvent> {},
}));

vi.mock('../../src/index', () => {
  const dispose = () => undefined;
  return {
    chooseBackend: () => null,
    tuneModel: () => null,
    probeAdapter: () => Promise.resolve(null),
    openEngine: () => Promise.resolve({ capabilities: null, lost: new Promise(() => undefined), dispose }),
    loadPolicy: () => Promise.resolve({ config: {}, dispose }),
    train: () => library.train(),
  };
});

beforeEach(() => {
  const request = (_: string, __: unknown, use: (lock: object) => unknown) => Promise.resolve(use({}));
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks: { request } });
  vi.stubGlobal('MARBLE_BUILD', 'test');
});

const numbers = new Float32Array(2);
const checkpointAt = (step: number): Checkpoint => ({
  version: 1,
  config: example,
  step,
  policy: { parameters: numbers, moment1: numbers, moment2: numbers, updates: step, reference: null },
  trainer: { evaluatedStep: step },
});
const stepAt = (step: number): TrainerEvent => ({ type: 'step', record: { step } });
const full = (): Promise<never> => Promise.reject(new MarbleError('store/full', 'no room', 'make some'));

/** A new run that takes three steps, with a checkpoint at the second, and then loses the GPU, at once or in the fourth. */
async function lostRun(openedStore: () => Promise<Store>, isNextBegun = false): Promise<Training> {
  library.train = async function* () {
    yield stepAt(1);
    yield stepAt(2);
    yield { type: 'checkpoint', checkpoint: checkpointAt(2) };
    yield stepAt(3);
    if (isNextBegun) yield { type: 'progress', phase: 'rollout', step: 4, fraction: 0 };
    await Promise.resolve();
    yield { type: 'lost', error: { code: 'gpu/device-lost', message: 'gone', nextStep: 'resume' } };
  };
  const emit = (): void => undefined;
  const training = startTraining(newRun({ config: example, name: 'n', wish: 'wasm' }, openedStore, emit), {
    ...{ base: 'http://localhost/', ownFiles: null, ownAdapter: null, wasmUrl: '', takesLock: true },
    emit,
    openedStore,
  });
  await training.started;
  await training.ended;
  return training;
}

/** A store that holds a run with this checkpoint, and notes what is written. */
function storeWith(stored: Checkpoint | null, saveCheckpoint?: () => Promise<void>) {
  const written: { events: TrainerEvent[]; checkpoints: number[] } = { events: [], checkpoints: [] };
  const store = {
    createRun: () => Promise.resolve(newRunRecord(example, 'n', {})),
    updateRun: () => Promise.resolve(),
    appendEvents: () => Promise.resolve(),
    resumeRun: () => Promise.resolve({ resumed: stored && { checkpoint: stored, fellBack: false } }),
    saveCheckpoint:
      saveCheckpoint ??
      ((_: string, { step }: Checkpoint, events: readonly TrainerEvent[]) => {
        written.checkpoints.push(step);
        written.events.push(...events);
        return Promise.resolve();
      }),
  } as unknown as Store;
  return { store, written };
}

describe('a run whose GPU is lost while the browser allows no storage', () => {
  it('leaves all that it was, and goes on from its checkpoint', async () => {
    const unkept = (await lostRun(full)).unkept()!;
    expect([unkept.checkpoint?.step, unkept.kept.steps.length]).toEqual([2, 3]);
    const told: WorkerEvent[] = [];
    const opened = await unkeptRun(unkept, 'wasm', full, (event) => told.push(event)).open({});
    expect(opened).toMatchObject({ resume: { step: 2 }, isResumeKept: false });
    expect(opened.kept.steps.map(({ step }) => step)).toEqual([1, 2]);
    expect(told).toMatchObject([{ type: 'storage', error: { code: 'store/full' } }]);
  });

  it('begins again where it had taken no checkpoint', async () => {
    const { kept } = (await lostRun(full)).unkept()!;
    const opened = await unkeptRun({ kept, checkpoint: null }, 'wasm', full, () => undefined).open({});
    expect(opened).toMatchObject({ resume: null, kept: { steps: [], record: { step: 0 } } });
  });
});

describe('a run whose GPU is lost', () => {
  it('leaves nothing that the storage has not got, where it has taken the checkpoint', async () => {
    const { store } = storeWith(null);
    expect((await lostRun(() => Promise.resolve(store))).unkept()).toBeNull();
  });

  it('leaves its checkpoint, where the storage was full', async () => {
    const { store } = storeWith(null, full);
    expect((await lostRun(() => Promise.resolve(store))).unkept()?.checkpoint?.step).toBe(2);
  });
});

describe('a run whose GPU is lost while the storage refuses what comes after its checkpoint', () => {
  it('is taken out of the memory, since the storage may not take it up again', async () => {
    const { store } = storeWith(null);
    store.appendEvents = full;
    expect((await lostRun(() => Promise.resolve(store), true)).unkept()?.checkpoint?.step).toBe(2);
  });
});

describe('a worker that has taken over a run', () => {
  it('lists it, shows it and makes a file of it, though the storage has none of it', async () => {
    const { createTrainerService } = await import('../../workers/service');
    const unkept = (await lostRun(full)).unkept()!;
    const { id } = unkept.kept.record;
    vi.stubGlobal('indexedDB', undefined);
    const service = createTrainerService('');
    await service.takeOver(unkept);
    expect((await service.listRuns()).map((run) => [run.id, run.checkpointStep])).toEqual([[id, 2]]);
    expect((await service.getRun(id)).steps).toHaveLength(3);
    expect((await service.runFile(id)).size).toBeGreaterThan(100);
    expect(await service.unkept()).toBe(unkept);
  });
});

describe('a run with more in memory than in the storage', () => {
  const unkept: UnkeptRun = {
    kept: {
      record: { ...newRunRecord(example, 'n', {}), step: 5 },
      steps: [1, 2, 3, 4, 5].map((step) => ({ step })),
      evals: [{ report: { step: 0 } }, { report: { step: 2 } }, { report: { step: 4 } }] as never,
      alerts: [],
      rolloutSteps: [1, 2],
    },
    checkpoint: checkpointAt(4),
  };

  it('gives the storage what it lacks behind its own checkpoint, and no step that is made again', async () => {
    const { store, written } = storeWith(checkpointAt(2));
    const beginning = unkeptRun(
      unkept,
      'wasm',
      () => Promise.resolve(store),
      () => undefined,
    );
    const { isResumeKept, resume } = await beginning.open({});
    expect([isResumeKept, resume?.step, written.checkpoints]).toEqual([true, 4, [4]]);
    expect(
      written.events.map((event) =>
        event.type === 'eval' ? `eval ${event.report.step}` : event.type === 'step' ? event.record.step : '',
      ),
    ).toEqual([3, 4, 'eval 4']);
  });

  it('gives it the evaluation that its checkpoint makes again', async () => {
    const { store, written } = storeWith({ ...checkpointAt(2), trainer: { evaluatedStep: 0 } });
    await unkeptRun(
      unkept,
      'wasm',
      () => Promise.resolve(store),
      () => undefined,
    ).open({});
    expect(written.events[0]).toMatchObject({ type: 'eval', report: { step: 2 } });
  });

  it('goes on where the storage does not take it up, and gives all to one that has room again', async () => {
    const { store, written } = storeWith(checkpointAt(2));
    let hasRoom = false;
    const refusing = { ...store, resumeRun: full };
    const opened = await unkeptRun(
      unkept,
      'wasm',
      () => Promise.resolve(hasRoom ? store : refusing),
      () => undefined,
    ).open({});
    expect(opened.isResumeKept).toBe(false);
    await expect(opened.store!.appendEvents('n', [stepAt(5)])).rejects.toThrow('no room');
    hasRoom = true;
    await opened.store!.saveCheckpoint('n', checkpointAt(6), [stepAt(6)]);
    expect(written.checkpoints).toEqual([4, 6]);
    expect(written.events.flatMap((event) => (event.type === 'step' ? [event.record.step] : []))).toEqual([
      3, 4, 5, 6,
    ]);
  });

  it('goes on where the storage is still full, and tries again with the next checkpoint', async () => {
    const { store } = storeWith(checkpointAt(2), full);
    const told: WorkerEvent[] = [];
    const opened = await unkeptRun(
      unkept,
      'wasm',
      () => Promise.resolve(store),
      (event) => told.push(event),
    ).open({});
    expect(opened).toMatchObject({ isResumeKept: false, store, resume: { step: 4 } });
    expect(told).toMatchObject([{ type: 'storage', error: { code: 'store/full' } }]);
  });
});
