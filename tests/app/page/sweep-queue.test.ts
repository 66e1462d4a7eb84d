import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSweepQueue, runsAtOnce, type SweepQueue } from '../../../src/app/page/sweep-queue';
import type { Page } from '../../../src/app/page/page';
import { secondsToGo } from '../../../src/app/page/planned';
import { showTimeLeft } from '../../../src/app/page/tab';
import type { RunRecord } from '../../../src/run/record/run-record';
import type { BackendName } from '../../../src/gpu/engine';
import type { RunConfig } from '../../../src/run/config/config';
import type { RunRequest } from '../../../workers/protocol';
import {
  fakeWorld,
  keptRunOf,
  refusing,
  settled,
  type FakeWorker,
  type FakeWorld,
} from '../session/fake-worker';
import { durationWords } from '../../../src/run/estimate';
import { example, onHub } from '../../share/example-config';

beforeEach(() => vi.stubGlobal('navigator', {}));
afterEach(() => void vi.unstubAllGlobals());

/** Workers on this backend that start every run they are given. */
function sweepWorld(backend: BackendName, workers: number, answers: Parameters<typeof fakeWorld>[0] = {}) {
  const kept: RunRecord[] = [];
  const world: FakeWorld = fakeWorld({
    listRuns: () => kept,
    putSweep: () => undefined,
    start: ({ config, as }: { config: RunConfig; as: string }) => {
      const { record } = keptRunOf(as);
      const machine = { backend: { backend, adapter: null, reason: '' } };
      kept.push({ ...record, config, machine });
      return record.id;
    },
    ...answers,
  });
  const queue = createSweepQueue(world.session, workers);
  /** The worker says that it trains the run that was started at this place. */
  const train = async (worker: FakeWorker, place: number): Promise<void> => {
    const record = kept[place];
    worker.train({ ...keptRunOf(record.id), record });
    await settled();
  };
  const end = async (worker: FakeWorker): Promise<void> => {
    worker.change({ is: 'ended', how: 'done' });
    await settled();
  };
  return { ...world, kept, queue, train, end };
}

const asked = ({ calls }: FakeWorker, name: string): number => calls.filter((call) => call === name).length;
const startsOf = (workers: readonly FakeWorker[]) => workers.map((worker) => asked(worker, 'start'));

/** Two workers that train the first two of three runs. */
async function twoAtWork(answers: Parameters<typeof sweepWorld>[2] = {}) {
  const world = sweepWorld('wasm', 2, answers);
  await begun(world.queue, [1, 2, 3]);
  await world.train(world.workers[0], 0);
  await world.train(world.workers[1], 1);
  return world;
}

async function begun(queue: SweepQueue, seeds: number[]): Promise<void> {
  await queue.begin(example, { seed: seeds });
  await settled();
}

describe('a sweep of several workers', () => {
  it('begins two runs of an embedded model on the CPU at once, and one on the GPU or of another model', async () => {
    for (const [base, wish, hands] of [
      [example, 'automatic', [1, 1]],
      [example, 'wasm', [1, 1]],
      [example, 'webgpu', [1]],
      [onHub, 'automatic', [1]],
      [onHub, 'wasm', [1]],
    ] as const) {
      const { workers, queue, session } = sweepWorld('wasm', 2, { preflight: () => ({ missing: 0 }) });
      session.wish.value = wish;
      session.agree();
      await queue.begin(base, { seed: [1, 2, 3] });
      await settled();
      expect(startsOf(workers)).toEqual(hands);
    }
  });

  it('gives a free worker the next run, ends when all have, and then gives the lock back', async () => {
    const { kept, workers, queue, train, end, session } = await twoAtWork();
    await end(workers[1]);
    await train(workers[1], 2);
    await end(workers[0]);
    expect(startsOf(workers)).toEqual([1, 2]);
    // The page is busy, and shows the run that is still at work.
    expect([session.activity.value, session.shown.value?.id]).toEqual(['running', kept[2].id]);
    await end(workers[1]);
    expect(session.activity.value).toBe('idle');
    expect(queue.running.value).toBeNull();
    expect(queue.sweeps.value[0].runs).toEqual(kept.map(({ id }) => id));
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, true]);
    expect(workers.map((worker) => asked(worker, 'lockAs'))).toEqual([2, 1]);
    expect(kept.map(({ config }) => config.seed)).toEqual([1, 2, 3]);
    // Neither an ended run nor a failed one is trained again.
    for (const [place, run] of kept.entries())
      Object.assign(run, { status: place === 0 ? 'failed' : 'done' });
    await session.refreshRuns();
    await queue.goOn(queue.sweeps.value[0].id);
    await settled();
    expect([startsOf(workers.slice(0, 2)), queue.running.value]).toEqual([[1, 2], null]);
  });

  it('tells the time of all its runs in the title of the tab', async () => {
    const page = { title: 'Marble' };
    vi.stubGlobal('document', page);
    const { kept, workers, queue, session } = await twoAtWork();
    const parts = { step: 100, ends: 0, look: 0 };
    for (const [place, worker] of workers.entries())
      worker.tell({ type: 'run', kept: { ...keptRunOf(kept[place].id), record: kept[place] }, parts });
    await settled();
    const ofOne = secondsToGo(session.shown.value!)!;
    expect(queue.secondsLeft()).toBe((3 * ofOne) / 2);
    showTimeLeft(session, { isOn: signal(false) } as Page['ladder'], queue);
    expect(page.title).toBe(`${durationWords((3 * ofOne) / 2)} left · Marble`);
    workers[0].change({ is: 'paused' });
    await settled();
    expect(page.title).toBe('Paused · Marble');
  });

  it('is not begun where another tab trains', async () => {
    const { workers, queue, session } = sweepWorld('wasm', 2, {
      lockAs: refusing('store/other-tab'),
    });
    await begun(queue, [1, 2, 3]);
    expect(startsOf(workers)).toEqual([0]);
    expect([queue.running.value, session.screen.value?.code]).toEqual([null, 'store/other-tab']);
  });

  it('whose model has to be fetched waits for consent, and then begins all runs on its backend', async () => {
    const backends: unknown[] = [];
    const { queue, session } = sweepWorld('wasm', 1, {
      preflight: () => ({ missing: 5 }),
      start: ({ backend }: RunRequest) => backends.push(backend) && 'run 0',
    });
    session.wish.value = 'wasm';
    session.agree();
    void queue.begin(onHub, { seed: [1, 2] });
    await settled();
    session.wish.value = 'webgpu';
    expect([backends, queue.running.value]).toEqual([[], queue.sweeps.value[0].id]);
    session.question.value?.answer(true);
    await settled();
    expect([backends, queue.running.value]).toEqual([['wasm'], queue.sweeps.value[0].id]);
    expect(queue.sweeps.value[0].runs).toEqual([expect.any(String), null]);
  });

  it('is listed as this page has it, whatever the storage lists, and among the others by its age', async () => {
    let listed: () => unknown = refusing('store/unavailable');
    const { kept, workers, queue, train, end } = await twoAtWork({ listSweeps: () => listed() });
    const [sweep] = queue.sweeps.value;
    const [newer, older] = [1, -1].map((by) => ({ ...sweep, id: `${by}`, createdAt: sweep.createdAt + by }));
    for (const [list, shown] of [
      [listed, [sweep]],
      [() => [], [sweep]],
      [() => [newer, { ...sweep, runs: [null, null, null] }, older], [newer, sweep, older]],
    ] as const) {
      listed = list;
      await queue.refresh();
      expect(queue.sweeps.value).toEqual(shown);
    }
    await end(workers[0]);
    await train(workers[0], 2);
    expect(queue.sweeps.value[1].runs).toEqual(kept.map(({ id }) => id));
  });

  it('goes on after a reload on the backend that its runs have, or that was chosen since, and may be deleted', async () => {
    for (const wish of ['automatic', 'wasm'] as const) {
      const sweep = { id: 'a', base: onHub, axes: { seed: [1, 2] }, runs: ['done', null], createdAt: 0 };
      const { record } = keptRunOf('done');
      const machine = { backend: { backend: 'webgpu', adapter: null, reason: '' } };
      const backends: unknown[] = [];
      const { queue, session } = sweepWorld('wasm', 1, {
        preflight: () => ({ missing: 0 }),
        listSweeps: () => [
          { ...sweep, backend: 'automatic' },
          { ...sweep, id: 'b' },
        ],
        listRuns: () => [{ ...record, status: 'done', machine }],
        start: ({ backend }: RunRequest) => backends.push(backend) && 'run',
      });
      await session.refreshRuns();
      await queue.refresh();
      session.wish.value = wish;
      await queue.goOn('gone');
      expect(queue.running.value).toBeNull();
      session.agree();
      await queue.goOn('a');
      await settled();
      expect(backends).toEqual([wish === 'automatic' ? 'webgpu' : wish]);
      await queue.remove('b');
      expect(queue.sweeps.value.map(({ id }) => id)).toEqual(['a']);
    }
  });

  it('begins no run after it was stopped, though its record was being stored', async () => {
    let store: () => void = () => undefined;
    const { kept, workers, queue, session } = await twoAtWork();
    workers[0].answers.putSweep = () => new Promise<void>((resolve) => (store = resolve));
    workers[0].change({ is: 'ended', how: 'done' });
    await settled();
    await session.stop();
    workers[1].change({ is: 'ended', how: 'stopped' });
    await settled();
    store();
    await settled();
    expect([kept.length, session.activity.value, queue.running.value]).toEqual([2, 'idle', null]);
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it('finds the run that began before its tab closed, also with a clock that was set back', async () => {
    const { kept, workers, queue, session } = sweepWorld('wasm', 1, {
      start: (request: RunRequest) => {
        requests.push(request);
        if (!('as' in request)) return 'id' in request ? request.id : '';
        const { record } = keptRunOf(request.as!);
        // The clock is an hour behind that of the sweep. The run has no checkpoint when the tab closes.
        kept.push({ ...record, config: request.config, createdAt: Date.now() - 3_600_000 });
        return refusing('app/worker-failed')();
      },
    });
    const requests: RunRequest[] = [];
    await begun(queue, [1, 2]);
    await session.refreshRuns();
    await queue.goOn(queue.sweeps.value[0].id);
    await settled();
    expect(requests.map((request) => ('id' in request ? request.id : 'new'))).toEqual(['new', kept[0].id]);
    expect(workers).toHaveLength(1);
  });

  it('stops altogether where one of its runs cannot begin, and says why', async () => {
    let started = 0;
    const { workers, queue, session } = sweepWorld('wasm', 2, {
      start: () => (++started === 2 ? refusing('store/full')() : 'run 0'),
      listRuns: () => [{ ...keptRunOf('run 0').record, machine: { backend: { backend: 'wasm' } } }],
    });
    session.wish.value = 'wasm';
    await begun(queue, [1, 2]);
    expect(session.screen.value?.code).toBe('store/full');
    expect(asked(workers[0], 'stop')).toBe(1);
    expect(queue.running.value).toBeNull();
  });
});

it('the number of runs at once is one for each two hardware threads, and no more than half of the memory holds', () => {
  const usual = [1, 2, 4, 8].map((hardwareConcurrency) => runsAtOnce({ hardwareConcurrency }));
  expect(usual).toEqual([1, 1, 2, 4]);
  expect(runsAtOnce({ hardwareConcurrency: 64, deviceMemory: 4 })).toBe(6);
  expect(runsAtOnce({ hardwareConcurrency: 4, deviceMemory: 0.25 })).toBe(1);
});
