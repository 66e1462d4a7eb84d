/**
 * Kills the tab between two calls of its storage, in a run and in a sweep. The page's session, the worker's service, the
 * trainer and the store are real. The storage is in memory, and the next life starts with its contents at the kill.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSession } from '../../src/app/session/session';
import { createSweepQueue } from '../../src/app/page/sweep-queue';
import { cutOffRun } from '../../src/app/runs/kept-runs';
import type * as realEngine from '../../src/gpu/engine';
import type { Policy } from '../../src/model/policy';
import { algorithms, type AlgorithmName } from '../../src/objective/algorithm';
import type { RunConfig } from '../../src/run/config/config';
import { timingMetrics } from '../../src/run/record/metrics';
import { unpackRun } from '../../src/share/run-file';
import { createRunStore } from '../../src/store/runs';
import { createSweepStore } from '../../src/store/store';
import type { RunRequest, WorkerEvent } from '../../workers/protocol';
import { createTrainerService, type TrainerService } from '../../workers/service';
import { sampled } from '../fixtures/sample';
import { smallConfig, smallTransformer } from '../rl/runs';
import { createTablePolicy } from '../rl/table-policy';
import { freshLocks, type Locks } from './browser-locks';
import { createMemoryStore, type Entry } from '../store/memory-store';

/** Replacements for the model and the browser's storage in the current life. */
const life = vi.hoisted(() => ({
  policy: (): Promise<unknown> => Promise.reject(new Error('no test has said which')),
  store: (): unknown => undefined,
}));

/** State private to one life. Pending calls of a killed life reach no other life. */
interface OwnParts {
  store: () => unknown;
  locks: Locks;
}
const lives = new AsyncLocalStorage<OwnParts>();

// Not the library itself: two workers that import a mocked module at once now and then get the real one.
vi.mock('../../src/gpu/engine', () => ({
  openEngine: () =>
    Promise.resolve({
      backend: 'wasm',
      capabilities: null,
      lost: new Promise(() => undefined),
      check: () => Promise.resolve(),
      dispose: () => undefined,
    }),
}));
vi.mock('../../src/model/device/choose-backend', () => ({ chooseBackend: () => null }));
vi.mock('../../workers/models/plan', () => ({
  plannedRun: () => Promise.resolve({ parts: { step: 1, ends: 1, look: 1 }, refusal: null }),
}));
vi.mock('../../src/model/load-policy', () => ({ loadPolicy: () => life.policy() }));
vi.mock('../../src/store/store', async (original) => ({
  ...(await original<object>()),
  storeOnDemand: () => () => Promise.resolve(life.store()),
}));

let engine: realEngine.Engine;
beforeAll(async () => {
  const { openEngine } = await vi.importActual<typeof realEngine>('../../src/gpu/engine');
  engine = await openEngine({ backend: 'wasm' });
  vi.stubGlobal('MARBLE_BUILD', 'test');
  life.store = () => lives.getStore()!.store();
  const locks: Locks = {
    request: (...of) => lives.getStore()!.locks.request(...of),
    query: () => lives.getStore()!.locks.query(),
  };
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks });
});
afterAll(() => engine.dispose());
beforeEach(() => {
  life.policy = () => Promise.resolve(createTablePolicy());
});

const transformer = (mode: 'full' | 'lora'): Promise<Policy> =>
  smallTransformer(engine, mode === 'lora' ? { rank: 2, alpha: 4, seed: 1 } : null);

interface Lived {
  entries: Entry[];
  /** Calls of the storage. */
  calls: number;
}

/**
 * One life of the page, with the storage that the previous one left. It ends when `act` is done or the storage has
 * answered `last` calls. Later calls never return, and an open transaction is discarded.
 */
async function live(kept: readonly Entry[], last: number, act: () => Promise<void>): Promise<Lived> {
  const memory = createMemoryStore(kept);
  let calls = 0;
  const killed = new Promise<void>((resolve) => {
    memory.onCall = () => {
      calls += 1;
      if (calls <= last) return undefined;
      resolve();
      return new Promise(() => undefined);
    };
  });
  const own: OwnParts = {
    store: () => ({ ...createRunStore(memory.use), ...createSweepStore(memory.use) }),
    locks: freshLocks(),
  };
  await lives.run(own, () => Promise.race([act(), killed]));
  return { entries: memory.entries(), calls };
}

/** The service of a tab, and how its run ends. */
function openTab(on: (event: WorkerEvent, tab: TrainerService) => void = () => undefined) {
  const service = createTrainerService('');
  const ended = new Promise<string>((resolve) => {
    void service.connect('http://localhost/', (event) => {
      on(event, service);
      if (event.type === 'state' && event.state.is === 'ended') resolve(event.state.how);
    });
  });
  return { service, ended };
}

/** Stops a run after its first step. */
const stopAtStep = (event: WorkerEvent, tab: TrainerService): void => {
  if (event.type === 'step') void tab.command('stop');
};

/** Trains to the end: resumes the interrupted run of this seed, or starts one if there is none. */
async function trainToTheEnd(config: RunConfig): Promise<void> {
  const { service, ended } = openTab();
  const runs = (await service.listRuns()).filter((run) => run.config.seed === config.seed);
  if (runs.some(({ status }) => status === 'done')) return;
  const cut = cutOffRun(runs) ?? runs[0];
  if (cut === undefined) await service.start({ config, backend: 'wasm' });
  else await service.start({ id: cut.id, backend: 'wasm' });
  expect(await ended).toBe('done');
}

/** The rows of every run in the order of their steps, by run, as text: without what a clock has measured. */
function rowsOf(entries: readonly Entry[]): Map<string, string> {
  const rows = new Map<string, string>();
  for (const [[kind, id], value] of entries) {
    if (kind !== 'step') continue;
    const row = Object.entries(value as object).filter(([name]) => !timingMetrics.includes(name));
    rows.set(id as string, `${rows.get(id as string) ?? ''}${JSON.stringify(row)}\n`);
  }
  return rows;
}

/** The alerts of the stored runs, in their order. */
const alertsOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap(([[kind], value]) => (kind === 'alert' ? [JSON.stringify(value)] : []));

const small = smallConfig();
const config: RunConfig = {
  ...small,
  steps: 3,
  rollout: { promptsPerStep: 2, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 24 },
  evaluation: { ...small.evaluation, every: 2, items: 2 },
  checkpointEvery: 1,
};

/** Places of a life at which to kill it: some, spread over all of it, or every one. */
const placesIn = (calls: number, some: number): number[] =>
  sampled(
    Array.from({ length: some }, (_, index) => Math.round(((index + 0.5) * calls) / some)),
    Array.from({ length: calls }, (_, index) => index),
  );

const names = sampled<AlgorithmName[]>(['reinforce++', 'grpo'], Object.keys(algorithms) as AlgorithmName[]);

const warmStart = { updates: 2, examples: 4, full: 0.5, short: 0.25, learningRate: 0.01 };
/** The places of one with a warm start are in either part. */
const cases: [name: string, algorithm: AlgorithmName, changes: Partial<RunConfig>, places: number][] = [
  ...names.map((name): (typeof cases)[number] => [name, name, {}, 1]),
  ['a warm start', 'reinforce++', { warmStart, steps: 4 }, 3],
];

describe.each(['full', 'lora'] as const)('a run that trains %s weights', (mode) => {
  it.each(cases)(
    '%s: killed, leaves the rows of one that never stopped',
    { timeout: 240_000 },
    async (_, name, changes, places) => {
      life.policy = () => transformer(mode);
      // No answer is right here, but some are shorter. The length penalty gives a signal, even if no group is resampled
      // for equal rewards.
      const algorithm = { ...config.algorithm, ...algorithms[name], lengthPenalty: 1, resampleRounds: 0 };
      const own: RunConfig = { ...config, algorithm, ...changes };
      const whole = await live([], Infinity, () => trainToTheEnd(own));
      const [rows] = rowsOf(whole.entries).values();
      expect(rows.split('\n')).toHaveLength(1 + own.steps);
      expect(rows).toMatch(/\["grad_norm",(?!0\])/);
      for (const place of placesIn(whole.calls, places)) {
        const before = await live([], place, () => trainToTheEnd(own));
        const after = await live(before.entries, Infinity, () => trainToTheEnd(own));
        expect([place, ...rowsOf(after.entries).values()]).toEqual([place, rows]);
        expect([place, alertsOf(after.entries)]).toEqual([place, alertsOf(whole.entries)]);
      }
    },
  );
});

it('a tab whose run another tab has gone on with takes away what the other has made of it', async () => {
  await live([], Infinity, async () => {
    const [first, second] = [openTab(stopAtStep), openTab()];
    const id = await first.service.start({ config, backend: 'wasm' });
    expect(await first.ended).toBe('stopped');
    await second.service.start({ id, backend: 'wasm' });
    expect(await second.ended).toBe('done');
    const { history, checkpoint } = await unpackRun(await first.service.runFile(id));
    expect([history.record.status, history.steps.length, checkpoint?.step]).toEqual(['done', 3, 3]);
  });
});

it.each([
  ['begins', 'its start'],
  ['goes on', 'what is kept of it'],
])('a run that %s while the storage is full goes on from %s, and is kept once there is room', async (how) => {
  await live([], Infinity, async () => {
    let isFull = false;
    const memory = createMemoryStore();
    memory.onCall = (call) => {
      if (isFull && call === 'commit') throw new DOMException('no room', 'QuotaExceededError');
    };
    const store = createRunStore(memory.use);
    lives.getStore()!.store = () => store;
    const told: string[] = [];
    let request: RunRequest = { config, backend: 'wasm' };
    if (how === 'goes on') {
      const first = openTab(stopAtStep);
      request = { id: await first.service.start(request), backend: 'wasm' };
      await first.ended;
    }
    isFull = true;
    const { service, ended } = openTab((event) => {
      if (event.type === 'storage') told.push(event.error.code);
      if (event.type === 'step') isFull = false;
    });
    const id = await service.start(request);
    await ended;
    const { record, steps, evals } = await store.loadRun(id);
    expect(told).toEqual(['store/full']);
    expect([record.status, record.checkpointStep]).toEqual(['done', 3]);
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(evals.map(({ report }) => report.step)).toEqual([0, 2, 3]);
  });
});

describe('a tab that is killed', () => {
  /** Runs a sweep of four runs to the end: resumes the stored one, or starts one if there is none. */
  const sweepBy = (workers: number) => async (): Promise<void> => {
    const session = createSession({
      openPort: () => ({
        service: createTrainerService(''),
        ended: new Promise(() => undefined),
        close: () => undefined,
      }),
      base: 'http://localhost/',
      openReader: () => expect.fail('a sweep reads no file'),
      drawn: () => Promise.resolve(),
    });
    await session.refreshRuns();
    session.wish.value = 'wasm';
    const queue = createSweepQueue(session, workers);
    await queue.refresh();
    const [kept] = queue.sweeps.value;
    if (kept === undefined) await queue.begin(config, { algorithm: ['grpo', 'rloo'], seed: [1, 2] });
    else await queue.goOn(kept.id);
    await vi.waitUntil(() => queue.running.value === null && session.activity.value === 'idle', {
      timeout: 60_000,
    });
    expect(session.screen.value).toBeNull();
    // The lock is free for the next trainer.
    expect((await navigator.locks.query()).held).toEqual([]);
  };

  let alone: Lived | null = null;

  it.each([
    [1, 3],
    [2, 1],
  ])(
    'in the middle of a sweep of %i workers goes on with it, each run at its place, with the rows of one after another',
    { timeout: 240_000 },
    async (workers, places) => {
      alone ??= await live([], Infinity, sweepBy(1));
      const rows = [...rowsOf(alone.entries).values()].sort();
      expect(rows).toHaveLength(4);
      const whole = workers === 1 ? alone : await live([], Infinity, sweepBy(workers));
      expect([...rowsOf(whole.entries).values()].sort()).toEqual(rows);
      for (const place of placesIn(whole.calls, places)) {
        const before = await live([], place, sweepBy(workers));
        const after = await live(before.entries, Infinity, sweepBy(workers));
        expect([place, [...rowsOf(after.entries).values()].sort()]).toEqual([place, rows]);
      }
    },
  );
});
