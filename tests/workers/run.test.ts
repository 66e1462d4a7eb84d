import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError, type ErrorReport } from '../../src/base/error';
import type { TrainOptions } from '../../src/rl/trainer';
import type { Alert, Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { newRunRecord } from '../../src/run/record/new-run';
import type { Store } from '../../src/store/store';
import type { RunState, TrainerService, WorkerEvent } from '../../workers/protocol';
import { createRunControl, type RunControl } from '../../workers/run-control';
import { startRun, type RunMemory } from '../../workers/run';
import { modelSource } from '../../workers/models/backend';
import { createTrainerService } from '../../workers/service';
import { resumeRun } from '../../workers/stored-run';
import { refusalOf, refusalTextOf } from '../model/refusal';
import { example } from '../share/example-config';

/** Stub of the library's training, with the list of disposed objects. */
const library = vi.hoisted(() => ({
  train: (() => {
    throw new Error('no test has said what training does');
  }) as (options: TrainOptions) => AsyncGenerator<TrainerEvent>,
  load: () => Promise.resolve(),
  disposed: [] as string[],
  throwOnDispose: false,
}));

vi.mock('../../src/index', () => {
  const dispose = (name: string) => () => {
    library.disposed.push(name);
    if (library.throwOnDispose) throw new Error(`${name} is gone`);
  };
  return {
    chooseBackend: () => null,
    probeAdapter: () => Promise.resolve(null),
    openEngine: () =>
      Promise.resolve({ capabilities: null, lost: new Promise(() => undefined), dispose: dispose('engine') }),
    loadPolicy: async () => {
      await library.load();
      return { config: {}, dispose: dispose('policy') };
    },
    train: (_: unknown, __: unknown, ___: unknown, ____: unknown, options: TrainOptions) =>
      library.train(options),
  };
});

const planned = vi.hoisted(() => ({ refusal: null as ErrorReport | null }));
vi.mock('../../workers/models/plan', () => ({
  plannedRun: () => Promise.resolve({ parts: { step: 1, ends: 3, look: 2 }, refusal: planned.refusal }),
}));

/** A storage with one run that has no checkpoint. */
const record = newRunRecord(example, 'example', {});
const store = {
  createRun: () => Promise.resolve(record),
  updateRun: () => Promise.resolve(record),
  appendEvents: () => Promise.resolve(),
  saveCheckpoint: () => Promise.resolve(),
  loadRun: () => Promise.resolve({ record, steps: [], evals: [], alerts: [] }),
  rolloutSteps: () => Promise.resolve([]),
  loadCheckpoint: () => Promise.resolve(null),
  loadBestCheckpoint: () => Promise.resolve(null),
  resumeRun: () => Promise.resolve({ record, resumed: null }),
  listRuns: () => Promise.resolve([record]),
  deleteRun: () => Promise.resolve(),
} as unknown as Store;
vi.mock('../../src/store/store', () => ({ openStore: () => Promise.resolve(store) }));

interface Life {
  control: RunControl;
  /** Events that the store has taken, and events sent to the page. */
  kept: TrainerEvent[];
  told: WorkerEvent[];
  /** Rejects if the run cannot be opened. */
  ended: Promise<RunState>;
  locked: () => boolean;
}

function live({ isAttended = true, storage = {} } = {}): Life {
  let held = 0;
  const requestLock = (_: string, __: unknown, use: (lock: object) => Promise<void> | undefined) => {
    held += 1;
    return Promise.resolve(use({})).finally(() => (held -= 1));
  };
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks: { request: requestLock } });
  const kept: TrainerEvent[] = [];
  const taking = {
    ...store,
    appendEvents: (_: string, events: readonly TrainerEvent[]) => Promise.resolve(void kept.push(...events)),
    ...storage,
  };
  const told: WorkerEvent[] = [];
  const emit = (event: WorkerEvent): void => void told.push(event);
  let memory: RunMemory | null = null;
  const hold = (opened: RunMemory): void => void (memory = opened);
  const none: readonly string[] = [];
  const one = [record.id];
  const unkept = (): readonly string[] => (memory?.keeper.isRefused() === true ? one : none);
  const context = {
    ...{ base: 'http://localhost/', ownFiles: null, ownAdapter: null, wasmUrl: '', takesLock: true },
    ...{ emit, openedStore: () => Promise.resolve(taking), threads: 1, hold, unkept },
  };
  const request = { config: example, backend: 'wasm', isAttended } as const;
  let end: (last: RunState) => void = () => undefined;
  const last = new Promise<RunState>((resolve) => (end = resolve));
  const control = createRunControl((state) => {
    emit({ type: 'state', state });
    if (state.is === 'ended') end(state);
  });
  const ended = startRun(request, context, control).then(() => last);
  return { control, kept, told, ended, locked: () => held > 0 };
}

/** Events by type, and states by name. */
const namesOf = (told: readonly WorkerEvent[]): string[] =>
  told.map((event) => (event.type === 'state' ? event.state.is : event.type));

beforeEach(() => {
  vi.stubGlobal('MARBLE_BUILD', 'test');
  library.load = () => Promise.resolve();
  library.disposed.length = 0;
  library.throwOnDispose = false;
});

/** Yields one step, then throws instead of yielding an event. */
const throwing = (error: Error) =>
  async function* (): AsyncGenerator<TrainerEvent> {
    yield { type: 'step', record: { step: 1 } };
    await Promise.resolve();
    throw error;
  };

it('a run that does not fit is refused with the setting to lower, before its weights are loaded', async () => {
  const error = { code: 'model/memory-too-small', message: 'Too much.', nextStep: 'Set it to 4.' } as const;
  planned.refusal = error;
  const load = vi.fn(() => Promise.resolve());
  library.load = load;
  await expect(live().ended).rejects.toMatchObject(error);
  planned.refusal = null;
  expect(load).not.toHaveBeenCalled();
  expect(library.disposed).toEqual(['engine']);
});

describe('a training that ends in an error thrown beside its events', () => {
  it('is kept as failed, with the cause', async () => {
    library.train = throwing(new MarbleError('gpu/out-of-memory', 'no memory', 'take a smaller model'));
    const { kept, ended } = live();
    expect(await ended).toMatchObject({ how: 'failed', error: { code: 'gpu/out-of-memory' } });
    expect(kept.map(({ type }) => type)).toEqual(['step', 'failed']);
    expect(kept[1]).toMatchObject({ error: { code: 'gpu/out-of-memory', message: 'no memory' } });
  });

  it('is kept as cut off where the device is lost: it goes on in another worker', async () => {
    library.train = throwing(new MarbleError('gpu/device-lost', 'gone', 'resume'));
    const { kept, ended } = live();
    expect(await ended).toMatchObject({ how: 'lost', error: { code: 'gpu/device-lost' } });
    expect(kept.map(({ type }) => type)).not.toContain('failed');
  });

  it('gives the lock back though the device cannot be given back', async () => {
    library.train = throwing(new Error('x'));
    library.throwOnDispose = true;
    const { ended, locked } = live();
    expect(await ended).toMatchObject({ how: 'failed', error: { code: 'app/unexpected' } });
    expect(library.disposed).toEqual(['policy', 'engine']);
    expect(locked()).toBe(false);
  });
});

it('a training has its first step kept, and whatever comes before an alert', async () => {
  const asked: (boolean | undefined)[] = [];
  library.train = async function* ({ checkpointRequested }) {
    const ask = () => asked.push(checkpointRequested?.());
    ask();
    yield { type: 'step', record: { step: 1 } };
    ask();
    yield { type: 'checkpoint', checkpoint: { step: 1 } as Checkpoint };
    ask();
    yield { type: 'step', record: { step: 2 } };
    ask();
    const alert: Alert = { step: 2, code: 'x', severity: 'warning', cause: 'c', nextStep: 'n' };
    yield { type: 'alert', alert };
    ask();
    await Promise.resolve();
    yield { type: 'done', step: 2 };
  };
  await live().ended;
  expect(asked).toEqual([false, true, false, false, true]);
});

describe('a pause', () => {
  it('holds in the middle of a step, and a stop ends the run from there', async () => {
    let asked = 0;
    library.train = async function* ({ signal }) {
      life.control.pause();
      while (signal?.aborted !== true) {
        asked += 1;
        yield { type: 'progress', phase: 'rollout', step: 1, fraction: 0.5 };
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      yield { type: 'checkpoint', checkpoint: { version: 1, config: example, step: 0 } as Checkpoint };
    };
    const life = live();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBe(1);
    life.control.stop();
    expect(await life.ended).toMatchObject({ how: 'stopped' });
    expect(namesOf(life.told).slice(-4)).toEqual(['paused', 'stopping', 'kept', 'ended']);
  });

  it('of a run that opens holds before its first step', async () => {
    library.train = async function* () {
      yield { type: 'progress', phase: 'rollout', step: 1, fraction: 0 };
      await Promise.resolve();
      yield { type: 'done', step: 1 };
    };
    const { control, told, ended } = live();
    control.pause();
    await vi.waitUntil(() => control.state.is === 'paused');
    control.goOn();
    await ended;
    const seen = namesOf(told);
    expect(seen.slice(seen.indexOf('run'))).toEqual([
      ...['run', 'pausing', 'progress', 'paused', 'running', 'ended'],
    ]);
  });
});

it('the state of a run says what is opened, and whether the storage has all of it', async () => {
  let isFull = true;
  const take = (): Promise<void> =>
    isFull ? Promise.reject(new MarbleError('store/full', 'no room', 'make some')) : Promise.resolve();
  library.train = async function* () {
    yield { type: 'step', record: { step: 1 } };
    yield { type: 'progress', phase: 'rollout', step: 2, fraction: 0 };
    await Promise.resolve();
    isFull = false;
    yield { type: 'checkpoint', checkpoint: { version: 1, config: example, step: 1 } as Checkpoint };
    yield { type: 'done', step: 2 };
  };
  const { told, ended } = live({ storage: { appendEvents: take, saveCheckpoint: take } });
  expect(await ended).toMatchObject({ id: record.id, how: 'done' });
  const states = told.flatMap((event) => (event.type === 'state' ? [event.state] : []));
  expect(states.map(({ is, stage, unkept }) => [is, stage, unkept.length === 0])).toEqual([
    ['opening', 'hardware', true],
    ['opening', 'model', true],
    ['running', 'model', true],
    ['running', 'model', false],
    ['running', 'model', true],
    ['ended', 'model', true],
  ]);
});

describe('a run whose first step has no signal', () => {
  const alert: Alert = { step: 1, code: 'rl/no-signal', severity: 'error', cause: 'c', nextStep: 'n' };
  beforeEach(() => {
    library.train = async function* () {
      yield { type: 'alert', alert };
      await Promise.resolve();
      yield { type: 'progress', phase: 'update', step: 1, fraction: 0 };
      yield { type: 'done', step: 1 };
    };
  });

  it('pauses before its next event if it is attended', async () => {
    const { control, told, ended } = live();
    await vi.waitUntil(() => control.state.is === 'paused');
    control.goOn();
    await ended;
    expect(namesOf(told).slice(-6)).toEqual(['pausing', 'alert', 'progress', 'paused', 'running', 'ended']);
  });

  it('continues if it is not', async () => {
    const { told, ended } = live({ isAttended: false });
    await ended;
    expect(namesOf(told)).not.toContain('paused');
  });

  it('does not pause if the visitor has stopped it', async () => {
    const { train } = library;
    library.train = (options) => {
      control.stop();
      return train(options);
    };
    const { control, told, ended } = live();
    await ended;
    expect(namesOf(told)).not.toContain('paused');
  });
});

describe('the service of the trainer', () => {
  beforeEach(() => {
    const request = (_: string, __: unknown, use: (lock: object) => unknown) => Promise.resolve(use({}));
    const query = () => Promise.resolve({ held: [] });
    vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks: { request, query } });
    vi.stubGlobal('location', { origin: 'https://marble.example' });
    // It waits for its stop.
    library.train = async function* ({ signal }) {
      yield { type: 'step', record: { step: 1 } };
      if (signal?.aborted !== true) {
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      }
      yield { type: 'checkpoint', checkpoint: { version: 1, config: example, step: 1 } as Checkpoint };
    };
  });

  const serviceWith = async () => {
    const service: TrainerService = createTrainerService('');
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const states: RunState[] = [];
    await service.connect('http://localhost/', (event) => {
      if (event.type !== 'state') return;
      states.push(event.state);
      if (event.state.is === 'ended') end();
    });
    return { service, ended, states };
  };

  it('does not begin a second run beside the one that trains', async () => {
    const { service, ended } = await serviceWith();
    await service.start({ config: example, backend: 'wasm' });
    expect(await refusalOf(() => service.start({ config: example, backend: 'wasm' }))).toBe(
      'app/already-training',
    );
    await service.command('stop');
    await ended;
  });

  it('says that another tab trains where that one holds the lock', async () => {
    const request = (_: string, __: unknown, use: (lock: null) => unknown) => Promise.resolve(use(null));
    const query = () => Promise.resolve({ held: [] });
    vi.stubGlobal('navigator', { userAgent: 'test', locks: { request, query } });
    const { service } = await serviceWith();
    expect(await refusalOf(() => service.start({ config: example, backend: 'wasm' }))).toBe(
      'store/other-tab',
    );
  });

  it('takes no order where it trains nothing', async () => {
    const { service, ended } = await serviceWith();
    expect(await refusalOf(() => service.command('stop'))).toBe('app/not-training');
    await service.start({ config: example, backend: 'wasm' });
    await service.command('stop');
    await ended;
    for (const command of ['pause', 'step', 'goOn', 'stop', 'keep'] as const) {
      expect(await refusalOf(() => service.command(command))).toBe('app/not-training');
    }
  });

  it('that is stopped while a model loads says that nothing was begun', async () => {
    const { service } = await serviceWith();
    let loaded: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => {
      library.load = () => {
        resolve();
        return new Promise((done) => (loaded = done));
      };
    });
    const started = refusalOf(() => service.start({ config: example, backend: 'wasm' }));
    await loading;
    await service.command('stop');
    loaded();
    expect(await started).toBe('app/stopped-early');
  });

  it('that is stopped before it has opened anything obeys', async () => {
    const { service, ended } = await serviceWith();
    const started = refusalOf(() => service.start({ id: record.id, backend: 'wasm' }));
    await service.command('stop');
    await ended;
    expect(await started).toBe('app/stopped-early');
  });

  it.each([
    ['stored', (service: TrainerService) => service.listRuns()],
    ['deleted', (service: TrainerService) => service.deleteRun(record.id)],
  ])('says when a run whose end was refused is %s', async (_, act) => {
    const refused = new MarbleError('store/full', 'no room', 'make some');
    const update = vi.spyOn(store, 'updateRun').mockRejectedValueOnce(refused);
    const { service, ended, states } = await serviceWith();
    await service.start({ config: example, backend: 'wasm' });
    await service.command('stop');
    await ended;
    expect(states.at(-1)).toMatchObject({ is: 'ended', how: 'stopped', unkept: [record.id] });
    await act(service);
    expect(states.at(-1)).toMatchObject({ is: 'ended', how: 'stopped', unkept: [] });
    update.mockRestore();
  });

  it('holds every run that storage has refused, until each is deleted', async () => {
    const refused = new MarbleError('store/full', 'no room', 'make some');
    const takesNothing = vi.spyOn(store, 'saveCheckpoint').mockRejectedValue(refused);
    const ids = ['a', 'b', 'c'];
    const created = vi.spyOn(store, 'createRun');
    const { service, states } = await serviceWith();
    for (const id of ids) {
      created.mockResolvedValueOnce({ ...record, id });
      await service.start({ config: example, backend: 'wasm' });
      await service.command('stop');
      await vi.waitUntil(() => states.at(-1)?.is === 'ended');
    }
    expect(states.at(-1)?.unkept).toEqual(ids);
    expect((await service.listRuns()).map(({ id, step }) => [id, step])).toEqual([
      ['c', 1],
      ['b', 1],
      ['a', 1],
      [record.id, record.step],
    ]);
    for (const id of ids) {
      expect((await service.getRun(id)).steps.map(({ step }) => step)).toEqual([1]);
      expect(await refusalOf(() => service.start({ id, backend: 'wasm' }))).toBe('store/not-kept');
    }
    await service.deleteRun('b');
    expect(states.at(-1)?.unkept).toEqual(['a', 'c']);
    takesNothing.mockRestore(); // there is room again
    await service.listRuns();
    expect(states.at(-1)?.unkept).toEqual([]);
    created.mockRestore();
  });

  it.each(['last', 'best'] as const)('has no %s weights of a run without a checkpoint', async (which) => {
    const { service } = await serviceWith();
    expect(await refusalOf(() => service.weightsFile(record.id, which))).toBe('store/no-checkpoint');
  });

  it('cannot load a model of files that nobody has chosen here', async () => {
    const config = { ...example, model: { kind: 'files' as const, name: 'my-model' } };
    const open = (): unknown => modelSource(config, { base: '', ownFiles: null });
    expect(await refusalOf(open)).toBe('app/choose-files');
    expect(await refusalTextOf(open)).toContain('my-model');
  });

  it('that finds the newest checkpoint damaged says from which step it goes on', async () => {
    const told: ErrorReport[] = [];
    const checkpoint = { version: 1, config: example, step: 3 } as Checkpoint;
    const fallen = {
      ...store,
      resumeRun: () => Promise.resolve({ record, resumed: { checkpoint, fellBack: true } }),
    } as unknown as Store;
    await resumeRun(record.id, {}, fallen, (error) => told.push(error));
    expect(told).toMatchObject([
      { code: 'store/fell-back', nextStep: expect.stringContaining('step 3') as string },
    ]);
  });
});
