import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError, toErrorReport } from '../../src/base/error';
import type { TrainOptions } from '../../src/rl/trainer';
import type { Alert, Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { newRunRecord } from '../../src/run/record/new-run';
import type { Store } from '../../src/store/store';
import type { Beginning } from '../../workers/beginning';
import type { WorkerEvent } from '../../workers/protocol';
import { createRunControl } from '../../workers/run-control';
import { openTraining, trainOpened, whileLoading } from '../../workers/worker-run';
import { example } from '../share/example-config';

/** What the library does in the place of training, and what must be given back at the end. */
const library = vi.hoisted(() => ({
  train: (() => {
    throw new Error('no test has said what training does');
  }) as (options: TrainOptions) => AsyncGenerator<TrainerEvent>,
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
    tuneModel: () => null,
    modelTileCode: () => '',
    probeAdapter: () => Promise.resolve(null),
    openEngine: () =>
      Promise.resolve({ capabilities: null, lost: new Promise(() => undefined), dispose: dispose('engine') }),
    loadPolicy: () => Promise.resolve({ config: {}, dispose: dispose('policy') }),
    train: (_: unknown, __: unknown, ___: unknown, ____: unknown, options: TrainOptions) =>
      library.train(options),
  };
});

/** What the store has taken, and the events that the page was told. */
interface Life {
  kept: TrainerEvent[];
  told: WorkerEvent[];
  locked: () => boolean;
}

async function live(): Promise<Life> {
  let held = 0;
  const request = (_: string, __: unknown, use: (lock: object) => Promise<void> | undefined) => {
    held += 1;
    return Promise.resolve(use({})).finally(() => (held -= 1));
  };
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks: { request } });
  vi.stubGlobal('MARBLE_BUILD', 'test');
  const kept: TrainerEvent[] = [];
  const store = {
    appendEvents: (_: string, events: readonly TrainerEvent[]) => Promise.resolve(void kept.push(...events)),
    saveCheckpoint: () => Promise.resolve(),
  } as unknown as Store;
  const record = newRunRecord(example, 'example', {});
  const beginning: Beginning = {
    id: null,
    config: example,
    wish: 'wasm',
    before: null,
    open: () =>
      Promise.resolve({
        kept: { record, steps: [], evals: [], alerts: [], rolloutSteps: [] },
        resume: null,
        store,
      }),
  };
  const told: WorkerEvent[] = [];
  const emit = (event: WorkerEvent): void => void told.push(event);
  const surroundings = {
    ...{ base: 'http://localhost/', ownFiles: null, ownAdapter: null, wasmUrl: '', takesLock: true },
    emit,
    openedStore: () => Promise.resolve(store),
  };
  const opened = await openTraining(beginning, surroundings, createRunControl());
  told.push(await trainOpened(opened, emit));
  return { kept, told, locked: () => held > 0 };
}

beforeEach(() => {
  library.disposed.length = 0;
  library.throwOnDispose = false;
});

/** One step, and then an error that is thrown beside the trainer's own events. */
const throwing = (error: Error) =>
  async function* (): AsyncGenerator<TrainerEvent> {
    yield { type: 'step', record: { step: 1 } };
    await Promise.resolve();
    throw error;
  };

describe('a training that ends in an error thrown beside its events', () => {
  it('is kept as failed, with the cause', async () => {
    library.train = throwing(new MarbleError('gpu/out-of-memory', 'no memory', 'take a smaller model'));
    const { kept, told } = await live();
    expect(kept.map(({ type }) => type)).toEqual(['step', 'failed']);
    expect(kept[1]).toMatchObject({ error: { code: 'gpu/out-of-memory', message: 'no memory' } });
    expect(told.at(-1)).toMatchObject({ type: 'failed', error: { code: 'gpu/out-of-memory' } });
  });

  it('says what to lower where the memory was too small: more of it before the first step', async () => {
    const error = new MarbleError('gpu/out-of-memory', '900 MB were needed at once.', 'Less.');
    library.train = throwing(error);
    const later = (await live()).told.at(-1);
    library.train = async function* () {
      await Promise.resolve();
      yield { type: 'failed', error: toErrorReport(error) };
    };
    const first = (await live()).told.at(-1);
    const nextStep = (part: string) => ({ nextStep: expect.stringContaining(part) as string });
    expect(later).toMatchObject({ type: 'failed', error: nextStep('Go on from the last checkpoint') });
    expect(first).toMatchObject({ type: 'failed', error: nextStep('Train fewer completions at once') });
    expect(whileLoading(error)).toMatchObject({ message: error.message, ...nextStep('a smaller model') });
    const other = new Error('another');
    expect(whileLoading(other)).toBe(other);
  });

  it('is kept as cut off where the device is lost: it goes on in another worker', async () => {
    library.train = throwing(new MarbleError('gpu/device-lost', 'gone', 'resume'));
    const { kept, told } = await live();
    expect(kept.map(({ type }) => type)).not.toContain('failed');
    expect(told.at(-1)).toMatchObject({ type: 'lost', error: { code: 'gpu/device-lost' } });
  });

  it('gives the lock back though the device cannot be given back', async () => {
    library.train = throwing(new Error('x'));
    library.throwOnDispose = true;
    const { told, locked } = await live();
    expect(library.disposed).toEqual(['policy', 'engine']);
    expect(locked()).toBe(false);
    expect(told.at(-1)).toMatchObject({ type: 'failed', error: { code: 'app/unexpected' } });
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
  await live();
  expect(asked).toEqual([false, true, false, false, true]);
});
