import { describe, expect, it, vi } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import type { DownloadProgress } from '../../../src/store/weights/weight-cache';
import type { RunRequest } from '../../../workers/protocol';
import {
  fakeClock,
  fakeWorld,
  keptRunOf,
  lost,
  noCapabilities,
  refusing,
  trainingPage,
  type FakeWorld,
} from './fake-worker';
import { example } from '../../share/example-config';

const run = keptRunOf('a');
const settled = fakeClock();

it('a visitor’s run is attended, also after a lost device, then on its own backend; a run of a sweep is not', async () => {
  const requests: RunRequest[] = [];
  const start = (request: RunRequest) => requests.push(request) && 'a';
  const { session, workers } = await trainingPage({ start });
  session.wish.value = 'wasm';
  workers[0].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  workers[1].change({ is: 'ended', how: 'stopped' });
  await session.begin({ config: example, backend: 'wasm' });
  await session.resume('a');
  expect(requests.map(({ isAttended = false }) => isAttended)).toEqual([true, true, false, true]);
  expect(requests[1]).toEqual({ id: 'a', backend: 'automatic', isAttended: true });
});

it('a visitor’s new run has the class and the seat of the page', async () => {
  const asked: RunRequest[] = [];
  const { session } = await trainingPage({ start: (request: RunRequest) => asked.push(request) && 'a' });
  session.runClass.value = { link: '#class', seat: '7' };
  await session.start(example);
  await session.resume('a');
  expect(asked.map((request) => 'class' in request && request.class)).toEqual([
    false,
    { link: '#class', seat: '7' },
    false,
  ]);
});

describe('the page follows the state of its worker', () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it('from the request to the end', async () => {
    const { session, workers } = fakeWorld({ start: never });
    await session.refreshRuns();
    const seen = (): unknown[] => [session.activity.value, session.stage.value, session.download.value];
    expect(seen()).toEqual(['idle', '', null]);
    void session.start(example);
    await settled();
    expect(seen()).toEqual(['opening', 'Opening the computer’s hardware', null]);
    const download = { address: 'x', received: 1, size: 2 } as unknown as DownloadProgress;
    workers[0].change({ is: 'opening' }, { stage: 'model', download });
    expect(seen()).toEqual(['opening', 'Loading the model', download]);
    workers[0].change({ is: 'pausing' });
    workers[0].change({ is: 'paused' }, { id: 'a', download: null });
    expect(seen()).toEqual(['paused', '', null]);
    workers[0].change({ is: 'ended', how: 'done' });
    await settled();
    expect(seen()).toEqual(['idle', '', null]);
  });

  it.each([
    ['pause', 'pausing'],
    ['step', 'pausing'],
    ['goOn', 'running'],
    ['stop', 'stopping'],
  ] as const)(
    'and shows what a command leads to before a busy worker answers: %s',
    async (order, activity) => {
      const { session, workers } = await trainingPage({ [order]: never });
      workers[0].change({ is: order === 'pause' || order === 'stop' ? 'running' : 'paused' });
      void session[order]();
      expect(session.activity.value).toBe(activity);
    },
  );

  it('and takes a run that is stored after its end for no second end', async () => {
    const { session, workers } = await trainingPage();
    workers[0].change({ is: 'ended', how: 'lost', error: lost }, { unkept: ['a'] });
    await settled();
    session.screen.value = null;
    workers[0].change({ is: 'ended', how: 'lost', error: lost }, { unkept: [] });
    await settled();
    expect([session.unkept.value, session.screen.value, workers.length]).toEqual([[], null, 1]);
    expect([session.changes.value, workers[0].isClosed]).toEqual([2, false]);
  });
});

it('the end of an earlier run, told again when it is stored, ends no run that is being opened', async () => {
  const { session, workers } = await trainingPage();
  workers[0].change({ is: 'running' }, { unkept: ['a'] });
  workers[0].change({ is: 'ended', how: 'done' });
  await settled();
  void session.start(example);
  await settled();
  workers[0].change({ is: 'ended', how: 'done' }, { unkept: [] });
  await settled();
  expect([session.activity.value, session.unkept.value]).toEqual(['opening', []]);
});

it('a run that is kept asks the browser once not to clear it', async () => {
  const persist = vi.fn(() => Promise.reject(new Error('not allowed')));
  vi.stubGlobal('navigator', { storage: { persist } });
  const { workers } = await trainingPage();
  expect(persist).not.toHaveBeenCalled();
  workers[0].tell({ type: 'kept' });
  workers[0].tell({ type: 'kept' });
  workers[0].change({ is: 'ended', how: 'stopped' });
  expect(persist).toHaveBeenCalledTimes(1);
});

const commit = '0123456789'.repeat(4);
const config: RunConfig = { ...example, model: { kind: 'hub', repository: 'a/b', revision: commit } };

/** A page that lists that run, with this number of missing bytes of its model. The Hub has consent. */
async function pageLacking(missing: number, start: (request: RunRequest) => unknown): Promise<FakeWorld> {
  vi.stubGlobal('navigator', {});
  const listRuns = () => [{ ...run.record, config }];
  const world = fakeWorld({ listRuns, preflight: () => ({ missing }), start });
  await world.session.refreshRuns();
  world.session.agree();
  return world;
}

it('a run begins on the requested backend after the visitor agrees to its download, although the form has another', async () => {
  const begun: unknown[] = [];
  const { session } = await pageLacking(5, ({ backend }) => begun.push(backend) && 'a');
  session.wish.value = 'wasm';
  for (const what of [{ config }, { id: 'a' }]) {
    const begins = session.begin({ ...what, backend: 'webgpu' });
    await settled();
    session.question.value?.answer(true);
    await begins;
  }
  expect(begun).toEqual(['webgpu', 'webgpu']);
});

it('a new run of a visitor is asked about though its model is all here; a resumed one and one of a sweep are not', async () => {
  const { session, workers } = await pageLacking(0, () => 'a');
  await session.begin({ config, backend: 'wasm' });
  await session.resume('a');
  expect(workers[0].calls.filter((name) => name === 'start')).toHaveLength(2);
  const storage = { quota: 9, usage: 4 };
  workers[0].answers.capabilities = () => ({ ...noCapabilities, storage });
  void session.start(config);
  await settled();
  expect(session.question.value).not.toBeNull();
  expect(session.capabilities.value?.storage).toEqual(storage);
  expect(workers[0].calls.filter((name) => name === 'start')).toHaveLength(2);
});

it('a worker with an uncaught error is closed, and its lock released, before the page offers to resume', async () => {
  const { session, workers, ended } = await trainingPage();
  workers[0].change({ is: 'running' }, { unkept: ['a'] });
  expect(session.unkept.value).toEqual(['a']);
  workers[0].fail();
  await settled();
  expect([workers[0].isClosed, session.activity.value]).toEqual([true, 'idle']);
  expect(session.unkept.value).toEqual([]); // only its memory held it
  expect(session.screen.value?.code).toBe('app/worker-failed');
  expect(await ended).toMatchObject({ id: 'a', how: 'lost' });
});

it('a GPU that is lost three times within ten minutes is not opened again, and the page says what else there is', async () => {
  const { session, workers } = await trainingPage();
  for (const loss of [0, 1]) {
    workers[loss].change({ is: 'ended', how: 'lost', error: lost });
    await settled();
    expect([session.screen.value, workers.length]).toEqual([null, loss + 2]);
    expect(session.notice.value?.code).toBe('gpu/device-lost');
    expect(session.notice.value?.nextStep).toContain('has opened it again');
    workers[loss + 1].train(run);
    await settled();
  }
  workers[2].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  expect(workers.map(({ calls }) => calls.includes('start'))).toEqual([true, true, true, false]);
  expect(session.activity.value).toBe('idle');
  expect(session.screen.value?.nextStep).toContain('loss 3 within ten minutes');
});

it('a new worker gets the files that the visitor has chosen', async () => {
  const { session, workers } = await trainingPage();
  await session.chooseFiles({});
  workers[0].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  expect(workers[1].calls).toEqual(expect.arrayContaining(['connect', 'chooseFiles', 'start']));
});

describe('a recovery that fails', () => {
  it('ends the run for the page and for a sweep that waits for it', async () => {
    const { session, workers, ended } = await trainingPage({
      start: (request: RunRequest) => ('config' in request ? 'a' : refusing('gpu/no-webgpu')()),
    });
    workers[0].change({ is: 'ended', how: 'lost', error: lost });
    await settled();
    expect(session.activity.value).toBe('idle');
    expect(session.screen.value?.code).toBe('gpu/no-webgpu');
    expect(session.notice.value).toEqual(lost); // and not that the device is back
    expect(await ended).toMatchObject({ id: 'a', how: 'lost' });
    await session.keep();
    expect(workers[1].calls).not.toContain('keep');
  });

  it('is stopped by a stop that comes before the new worker has a run', async () => {
    const { session, workers } = await trainingPage({
      start: (request: RunRequest) => ('config' in request ? 'a' : new Promise(() => undefined)),
    });
    workers[0].change({ is: 'ended', how: 'lost', error: lost });
    expect(session.notice.value?.nextStep).toContain('is opening it again');
    await session.stop();
    expect([session.activity.value, session.screen.value]).toEqual(['stopping', null]);
    expect(workers[1].calls.slice(-2)).toEqual(['start', 'stop']);
  });
});

it.each(['pause', 'step', 'stop'] as const)(
  'an order that cannot be obeyed leaves no page that waits: %s',
  async (order) => {
    const { session } = fakeWorld({ [order]: refusing('app/not-training') });
    await session.refreshRuns();
    await session[order]();
    expect(session.activity.value).toBe('idle');
    expect(session.screen.value?.code).toBe('app/not-training');
  },
);

it('a worker that does not answer a stop is closed after 20 seconds: what it parses may never end', async () => {
  const never = new Promise(() => undefined);
  let isHeldUp = false;
  const isAlive = () => (isHeldUp ? never : true);
  const { session, workers } = fakeWorld({ start: () => never, stop: () => never, isAlive });
  await session.refreshRuns();
  const started = session.start(example);
  await settled();
  isHeldUp = true;
  const stopped = session.stop();
  await vi.advanceTimersByTimeAsync(19_000);
  expect(workers[0].isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(workers[0].isClosed).toBe(true);
  await Promise.all([started, stopped]);
  expect(session.activity.value).toBe('idle');
  expect(session.notice.value?.code).toBe('app/worker-silent');
});

it('a visitor’s run whose model cannot be reached is begun again by what the screen offers, until it can be', async () => {
  let isOnline = false;
  const start = vi.fn(() => (isOnline ? 'a' : refusing('model/unreachable')()));
  const { session } = fakeWorld({ start });
  await session.refreshRuns();
  expect(await session.begin({ config: example, backend: 'wasm' })).toBeNull(); // as of a sweep
  expect([session.screen.value?.code, session.again.value]).toEqual(['model/unreachable', null]);
  await session.start(example);
  expect(session.again.value?.error).toBe(session.screen.value);
  isOnline = true;
  session.again.value?.act();
  await vi.waitUntil(() => session.again.value === null);
  expect(session.screen.value).toBeNull();
  expect(start.mock.calls).toHaveLength(3);
});

describe('a model that holds up whoever reads it', () => {
  it('is given up after 60 seconds in which its worker answers nothing, and the page says so', async () => {
    const never = new Promise(() => undefined);
    let isHeldUp = false;
    const { session, workers } = fakeWorld({ start: () => never, isAlive: () => (isHeldUp ? never : true) });
    await session.refreshRuns();
    const started = session.start(example);
    await vi.advanceTimersByTimeAsync(300_000); // a download that takes its time
    expect(workers[0].isClosed).toBe(false);
    isHeldUp = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(workers[0].isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(workers[0].isClosed).toBe(true);
    await started;
    expect(session.activity.value).toBe('idle');
    expect(session.screen.value?.code).toBe('app/worker-silent');
  });

  it('is waited for no longer than its run takes to begin', async () => {
    const { session, workers } = fakeWorld({ start: () => 'a', isAlive: () => new Promise(() => undefined) });
    await session.refreshRuns();
    await session.start(example);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(workers[0].isClosed).toBe(false);
    expect(session.screen.value).toBeNull();
  });
});
