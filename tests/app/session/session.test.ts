import { describe, expect, it, vi } from 'vitest';
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
import { example, onHub } from '../../share/example-config';

const run = keptRunOf('a');
const settled = fakeClock();

it('a visitor’s run is attended, also after a lost device, then on its own backend, and a new one has the seat of the page', async () => {
  const requests: RunRequest[] = [];
  const start = (request: RunRequest) => requests.push(request) && 'a';
  const { session, workers } = await trainingPage({ start });
  session.wish.value = 'wasm';
  workers[0].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  workers[1].change({ is: 'ended', how: 'stopped' });
  const ofClass = { link: '#class', seat: '7' };
  session.runClass.value = ofClass;
  await session.begin({ config: example, backend: 'wasm' }); // of a sweep
  await session.start(example);
  await session.resume('a');
  expect(requests).toEqual([
    { config: example, backend: 'automatic', isAttended: true },
    { id: 'a', backend: 'automatic', isAttended: true },
    { config: example, backend: 'wasm' },
    { config: example, class: ofClass, backend: 'wasm', isAttended: true },
    { id: 'a', backend: 'wasm', isAttended: true },
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

it('a new run of a visitor is asked about though its model is all here; a resumed one and one of a sweep are not', async () => {
  vi.stubGlobal('navigator', {});
  const listRuns = () => [{ ...run.record, config: onHub }];
  const preflight = () => ({ missing: 0 });
  const { session, workers } = fakeWorld({ listRuns, preflight, start: () => 'a' });
  await session.refreshRuns();
  session.agree();
  await session.begin({ config: onHub, backend: 'wasm' });
  await session.resume('a');
  expect(workers[0].calls.filter((name) => name === 'start')).toHaveLength(2);
  const storage = { quota: 9, usage: 4 };
  workers[0].answers.capabilities = () => ({ ...noCapabilities, storage });
  void session.start(onHub);
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
    expect(session.notice.value?.nextStep).toContain('opens it again');
    workers[loss + 1].train(run);
    await settled();
  }
  workers[2].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  expect(workers.map(({ calls }) => calls.includes('start'))).toEqual([true, true, true, false]);
  expect(session.activity.value).toBe('idle');
  expect(session.screen.value?.nextStep).toContain('loss 3 within ten minutes');
});

it('a recovery that fails ends the run for the page and for a sweep that waits for it', async () => {
  const { session, workers, ended } = await trainingPage({
    start: (request: RunRequest) => ('config' in request ? 'a' : refusing('gpu/no-webgpu')()),
  });
  workers[0].change({ is: 'ended', how: 'lost', error: lost });
  expect(session.notice.value?.nextStep).toContain('opens it again');
  await settled();
  expect(session.activity.value).toBe('idle');
  expect(session.screen.value?.code).toBe('gpu/no-webgpu');
  expect(session.notice.value).toEqual(lost); // and not that the device is back
  expect(await ended).toMatchObject({ id: 'a', how: 'lost' });
  await session.keep();
  expect(workers[1].calls).not.toContain('keep');
});

describe('a worker that reads untrusted files', () => {
  const never = new Promise(() => undefined);

  it.each([
    ['screen', 60, () => undefined],
    ['notice', 20, (session: FakeWorld['session']) => session.stop()],
  ] as const)(
    'is closed, with a %s, after %i seconds in which it answers nothing',
    async (place, seconds, act) => {
      let isHeldUp = false;
      const isAlive = () => (isHeldUp ? never : true);
      const { session, workers } = fakeWorld({ start: () => never, stop: () => never, isAlive });
      await session.refreshRuns();
      const started = session.start(example);
      await vi.advanceTimersByTimeAsync(300_000); // a download that takes its time
      isHeldUp = true;
      const acted = act(session);
      await vi.advanceTimersByTimeAsync(1000 * seconds - 1000);
      expect(workers[0].isClosed).toBe(false);
      await vi.advanceTimersByTimeAsync(21_000);
      expect(workers[0].isClosed).toBe(true);
      await Promise.all([started, acted]);
      expect([session.activity.value, session[place].value?.code]).toEqual(['idle', 'app/worker-silent']);
    },
  );

  it('is waited for no longer than its run takes to begin', async () => {
    const { session, workers } = fakeWorld({ start: () => 'a', isAlive: () => never });
    await session.refreshRuns();
    await session.start(example);
    await vi.advanceTimersByTimeAsync(300_000);
    expect([workers[0].isClosed, session.screen.value]).toEqual([false, null]);
  });
});

it('a visitor’s run whose model cannot be reached, and no run of a sweep, is begun again by what the screen offers', async () => {
  let start: () => unknown = refusing('model/unreachable');
  const { session } = fakeWorld({ start: () => start() });
  await session.refreshRuns();
  expect(await session.begin({ config: example, backend: 'wasm' })).toBeNull(); // as of a sweep
  expect(session.again.value).toBeNull();
  await session.start(example);
  expect(session.again.value?.error).toBe(session.screen.value);
  start = () => 'a';
  session.again.value?.act();
  await vi.waitUntil(() => session.again.value === null);
  expect(session.screen.value).toBeNull();
});
