import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError } from '../../src/base/error';
import type { Alert, Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { RunState, WorkerEvent } from '../../workers/protocol';
import { createRunControl, type RunControl } from '../../workers/run-control';
import { startRun, type RunMemory } from '../../workers/run';
import { example } from '../share/example-config';
import { library, planned, record, resetStubs, store } from './stubs';

vi.mock('../../src/index', async () => (await import('./stubs')).index);
vi.mock('../../workers/models/plan', async () => (await import('./stubs')).plan);
vi.mock('../../src/store/store', async () => (await import('./stubs')).storage);

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
    ...{ base: 'http://localhost/', ownFiles: null, wasmUrl: '', takesLock: true },
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

beforeEach(resetStubs);
afterEach(() => vi.restoreAllMocks());

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

it('a run that is stopped while its model loads is not begun, and gives all back', async () => {
  library.load = () => {
    life.control.stop();
    return Promise.resolve();
  };
  const life = live();
  await expect(life.ended).rejects.toMatchObject({ code: 'app/stopped-early' });
  expect([library.disposed, life.locked()]).toEqual([['policy', 'engine'], false]);
});

describe('a training that ends in an error thrown beside its events', () => {
  it('is kept as failed with the cause, and gives the lock back though the device cannot be given back', async () => {
    library.train = throwing(new MarbleError('gpu/out-of-memory', 'no memory', 'take a smaller model'));
    library.throwOnDispose = true;
    const { kept, ended, locked } = live();
    const error = { code: 'gpu/out-of-memory', message: 'no memory' };
    expect(await ended).toMatchObject({ how: 'failed', error });
    expect(kept).toMatchObject([{ type: 'step' }, { type: 'failed', error }]);
    expect(library.disposed).toEqual(['policy', 'engine']);
    expect(locked()).toBe(false);
  });

  it('is stored as interrupted if the device is lost: it resumes in another worker', async () => {
    library.train = throwing(new MarbleError('gpu/device-lost', 'gone', 'resume'));
    const { kept, ended } = live();
    expect(await ended).toMatchObject({ how: 'lost', error: { code: 'gpu/device-lost' } });
    expect(kept.map(({ type }) => type)).not.toContain('failed');
  });
});

it('a run requests a checkpoint after its first step and after an alert', async () => {
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

it('a run of short steps is stored four times a second, whole at its end', async () => {
  let milliseconds = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
  library.train = async function* () {
    for (let step = 1; step <= 100; step += 1) {
      yield { type: 'progress', phase: 'rollout', step, fraction: 0 };
      milliseconds += 10;
      yield { type: 'step', record: { step } };
    }
    yield await Promise.resolve({ type: 'done', step: 100 });
  };
  const writes: number[] = [];
  const appendEvents = (_: string, events: readonly TrainerEvent[]) =>
    Promise.resolve(void writes.push(events.filter(({ type }) => type === 'step').length));
  await live({ storage: { appendEvents } }).ended;
  expect(writes).toEqual([25, 25, 25, 25]);
});

it('a pause holds in the middle of a step, takes one step on request, and a stop ends the run from there', async () => {
  let asked = 0;
  library.train = async function* ({ signal }) {
    life.control.pause();
    while (signal?.aborted !== true) {
      asked += 1;
      yield { type: 'progress', phase: 'rollout', step: asked, fraction: 0.5 };
      yield { type: 'step', record: { step: asked } };
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    yield { type: 'checkpoint', checkpoint: { version: 1, config: example, step: 0 } as Checkpoint };
  };
  const life = live();
  for (const step of [1, 2]) {
    await vi.waitUntil(() => asked === step && life.control.state.is === 'paused');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBe(step);
    if (step === 1) life.control.step();
  }
  life.control.stop();
  expect(await life.ended).toMatchObject({ how: 'stopped' });
  expect(namesOf(life.told).slice(-5)).toEqual(['paused', 'stopping', 'step', 'kept', 'ended']);
});

it('the state of a run names what is being opened, and the runs that are not fully stored', async () => {
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
  const said = states.map(
    ({ is, stage, unkept }) => `${is} ${stage}${unkept.length > 0 ? ', not kept' : ''}`,
  );
  expect(said.slice(0, 3)).toEqual(['opening hardware', 'opening model', 'running model']);
  expect(said.slice(3)).toEqual(['running model, not kept', 'running model', 'ended model']);
});

it.each([
  [
    'pauses before its next event if it is attended',
    ['pausing', 'alert', 'progress', 'paused', 'running', 'ended'],
  ],
  ['continues if it is not', ['run', 'running', 'alert', 'progress', 'ended']],
])('a run whose first step has no signal %s', async (_, expected) => {
  const alert: Alert = { step: 1, code: 'rl/no-signal', severity: 'error', cause: 'c', nextStep: 'n' };
  library.train = async function* () {
    yield { type: 'alert', alert };
    await Promise.resolve();
    yield { type: 'progress', phase: 'update', step: 1, fraction: 0 };
    yield { type: 'done', step: 1 };
  };
  const isAttended = expected.includes('paused');
  const { control, told, ended } = live({ isAttended });
  if (isAttended) {
    await vi.waitUntil(() => control.state.is === 'paused');
    control.goOn();
  }
  await ended;
  expect(namesOf(told).slice(-expected.length)).toEqual(expected);
});
