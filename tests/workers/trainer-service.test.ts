/** The service that the page calls, on stubs of the library and the storage. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError, type ErrorReport } from '../../src/base/error';
import { newTrainerState } from '../../src/rl/trainer-state';
import type { Checkpoint, StepRecord } from '../../src/run/record/events';
import type { Store } from '../../src/store/store';
import type { RunState } from '../../workers/protocol';
import { createTrainerService, type TrainerService } from '../../workers/service';
import { resumeRun } from '../../workers/stored-run';
import { unpackRun } from '../../src/share/run-file';
import { runFingerprint } from '../../src/share/run-fingerprint';
import { refusalOf } from '../model/refusal';
import { evalReport } from '../run/verdict/verdicts';
import { example } from '../share/example-config';
import { checkpointAt } from '../store/run-parts';
import { freshLocks } from './browser-locks';
import { library, record, resetStubs, store } from './stubs';

vi.mock('../../src/index', async () => (await import('./stubs')).index);
vi.mock('../../workers/models/plan', async () => (await import('./stubs')).plan);
vi.mock('../../src/store/store', async () => (await import('./stubs')).storage);
beforeEach(resetStubs);
afterEach(() => vi.restoreAllMocks());

const request = { config: example, backend: 'wasm' } as const;
const refused = new MarbleError('store/full', 'no room', 'make some');

describe('the service of the trainer', () => {
  beforeEach(() => {
    const locks = freshLocks();
    vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks });
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
    const errors: ErrorReport[] = [];
    await service.connect('http://localhost/', (event) => {
      if (event.type === 'storage') errors.push(event.error);
      if (event.type !== 'state') return;
      states.push(event.state);
      if (event.state.is === 'ended') end();
    });
    const trainAndStop = async (): Promise<void> => {
      await service.start(request);
      await service.command('stop');
      await vi.waitUntil(() => states.at(-1)?.is === 'ended');
    };
    return { service, ended, states, errors, trainAndStop };
  };

  it('tells what this computer offers where the browser refuses to say how much storage there is', async () => {
    Object.assign(navigator, { storage: { estimate: () => Promise.reject(new Error('not allowed')) } });
    const { service } = await serviceWith();
    expect(await service.capabilities()).toMatchObject({ storage: null });
  });

  it('says that another tab trains where that one holds the lock', async () => {
    const held = (_: string, __: unknown, use: (lock: null) => unknown) => Promise.resolve(use(null));
    Object.assign(navigator.locks, { request: held });
    const { service } = await serviceWith();
    expect(await refusalOf(() => service.start(request))).toBe('store/other-tab');
  });

  it('lists all runs that another tab trains', async () => {
    const held = ['marble-trainer', 'marble-run/a', 'marble-run/b'].map((name) => ({ name, mode: 'exclusive' })); // prettier-ignore
    Object.assign(navigator.locks, { query: () => Promise.resolve({ held }) });
    const list = vi
      .spyOn(store, 'listRuns')
      .mockResolvedValueOnce(['a', 'b', 'c'].map((id) => ({ ...record, id })));
    const { service } = await serviceWith();
    const runs = await service.listRuns();
    expect(runs.map(({ trainsElsewhere = false }) => trainsElsewhere)).toEqual([true, true, false]);
    list.mockRejectedValueOnce(refused);
    expect(await refusalOf(() => service.listRuns())).toBe('store/full');
  });

  it('puts a checkpoint into the file of a run that trains, with all steps before it', async () => {
    let trained = 0; // each read of the storage takes a step
    const nextStep = () => (trained += 1);
    const trainer = newTrainerState(example);
    vi.spyOn(store, 'loadCheckpoint').mockImplementation(() =>
      Promise.resolve({ checkpoint: { ...checkpointAt(nextStep(), 1), trainer } } as never),
    );
    vi.spyOn(store, 'loadRun').mockImplementation(() => {
      const steps = Array.from({ length: nextStep() }, (_, index) => ({ step: index + 1 }));
      return Promise.resolve({ record, steps, evals: [], alerts: [] });
    });
    const { service } = await serviceWith();
    const { history, checkpoint } = await unpackRun(await service.runFile(record.id));
    expect([checkpoint?.step, history.steps.length]).toEqual([1, 2]);
  });

  it('begins no second run while one trains, and takes no order where it trains nothing', async () => {
    const { service, ended } = await serviceWith();
    expect(await refusalOf(() => service.command('stop'))).toBe('app/not-training');
    await service.start(request);
    expect(await refusalOf(() => service.start(request))).toBe('app/already-training');
    await service.command('stop');
    await ended;
    for (const command of ['pause', 'step', 'goOn', 'stop', 'keep'] as const) {
      expect(await refusalOf(() => service.command(command))).toBe('app/not-training');
    }
  });

  it('holds every run that storage has refused, until each is deleted', async () => {
    const takesNothing = vi.spyOn(store, 'saveCheckpoint').mockRejectedValue(refused);
    const ids = ['a', 'b', 'c'];
    const created = vi.spyOn(store, 'createRun');
    const { service, states, trainAndStop } = await serviceWith();
    for (const id of ids) {
      created.mockResolvedValueOnce({ ...record, id });
      await trainAndStop();
    }
    expect(states.at(-1)?.unkept).toEqual(ids);
    const listed = (await service.listRuns()).map(({ id, step }) => `${id} at ${step}`);
    expect(listed).toEqual(['c at 1', 'b at 1', 'a at 1', `${record.id} at ${record.step}`]);
    for (const id of ids) {
      const { steps, stepCount } = await service.getRun(id);
      expect([steps, stepCount]).toEqual([
        [expect.objectContaining({ step: 1, 'time/store': expect.any(Number) as number })],
        undefined,
      ]);
      expect(await refusalOf(() => service.start({ id, backend: 'wasm' }))).toBe('store/not-kept');
    }
    for (const id of ['b', 'c']) await service.deleteRun(id);
    expect(states.at(-1)?.unkept).toEqual(['a']);
    takesNothing.mockRestore(); // there is room again
    await service.listRuns();
    expect(states.at(-1)).toMatchObject({ is: 'ended', how: 'stopped', unkept: [] });
  });

  it('joins the steps that memory has dropped to those that storage has refused', async () => {
    const stored: StepRecord[] = [];
    vi.spyOn(store, 'appendEvents').mockImplementation((_, events) => {
      stored.push(...events.flatMap((event) => (event.type === 'step' ? event.record : [])));
      return Promise.resolve();
    });
    vi.spyOn(store, 'saveCheckpoint').mockRejectedValue(refused);
    let milliseconds = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (milliseconds += 50));
    library.train = async function* () {
      for (let step = 1; step <= 5000; step += 1) {
        yield { type: 'progress', phase: 'rollout', step, fraction: 0 };
        yield { type: 'step', record: { step } };
      }
      const checkpoint = { version: 1, config: example, step: 5000 } as Checkpoint;
      yield await Promise.resolve({ type: 'checkpoint', checkpoint });
      yield { type: 'done', step: 5000 };
    };
    const { service, ended, errors } = await serviceWith();
    await service.start(request);
    await ended;
    const load = vi
      .spyOn(store, 'loadRun')
      .mockResolvedValue({ record, steps: stored, evals: [], alerts: [] });
    const { steps, stepCount } = await service.getRun(record.id);
    const rest = [await service.getSteps(record.id, 2000), await service.getSteps(record.id, 4000)];
    const parts = [steps, ...rest];
    expect([stepCount, load.mock.calls.length]).toEqual([5000, 1]);
    expect(parts.map(({ length }) => length)).toEqual([2000, 2000, 1000]);
    expect(parts.flat().map(({ step }) => step)).toEqual(
      Array.from({ length: 5000 }, (_, index) => index + 1),
    );
    load.mockRejectedValueOnce(refused).mockRejectedValueOnce(refused);
    await service.getRun(record.id); // the storage does not answer now
    expect(errors.filter(({ code }) => code === 'store/steps-lost')).toEqual([]);
    load.mockRejectedValue(new MarbleError('store/no-run', 'gone', 'another'));
    await service.getRun(record.id);
    const { steps: last } = await service.getRun(record.id);
    expect(last.length).toBeGreaterThan(1000);
    expect(last.length).toBeLessThan(2100);
    expect(last.at(-1)?.step).toBe(5000);
    expect(errors.filter(({ code }) => code === 'store/steps-lost')).toHaveLength(1);
    expect(runFingerprint(last)).toBe(null);
  });

  it('writes the steps of the run that trains before it reads it, its rollouts or its file', async () => {
    const written: string[] = [];
    vi.spyOn(store, 'appendEvents').mockImplementation((_, events) => {
      written.push(...events.map(({ type }) => type));
      return Promise.resolve();
    });
    vi.spyOn(store, 'loadRollouts').mockResolvedValue([]);
    const asked: (() => void)[] = [];
    library.train = async function* () {
      for (let step = 1; ; step += 1) {
        await new Promise<void>((resolve) => asked.push(resolve));
        yield { type: 'step', record: { step } };
      }
    };
    const { service } = await serviceWith();
    await service.start(request);
    for (const read of [
      () => service.getRun(record.id),
      () => service.getRollouts(record.id, 1),
      () => service.runFile(record.id),
    ]) {
      const before = written.length;
      await vi.waitUntil(() => asked.length > 0);
      asked.pop()!();
      await vi.waitUntil(() => asked.length > 0); // the step is done
      await read();
      expect(written.slice(before)).toEqual(['step']);
    }
  });

  it('has no weights of a run without a checkpoint', async () => {
    const { service } = await serviceWith();
    expect(await refusalOf(() => service.weightsFile(record.id))).toBe('store/no-checkpoint');
  });

  it('resumes from the checkpoint before a damaged one, which it names, without later rows', async () => {
    const checkpoint = { version: 1, config: example, step: 3, trainer: { evaluatedStep: 0 } };
    const at = (step: number): { step: number } => ({ step });
    const evalsAt = (...steps: number[]) => steps.map((step) => ({ report: evalReport({ step }) }));
    const rows = { steps: [1, 2, 3, 4, 5].map(at), evals: evalsAt(0, 3), alerts: [2, 4].map(at) };
    const fallen = {
      ...store,
      resumeRun: () => Promise.resolve({ resumed: { checkpoint, damaged: 'odd' } }),
      loadRun: () => Promise.resolve({ record: { ...record, step: 5 }, ...rows }),
      rolloutSteps: () => Promise.resolve([1, 3, 5]),
    } as unknown as Store;
    const told: ErrorReport[] = [];
    const { kept } = await resumeRun(record.id, {}, fallen, (error) => told.push(error));
    expect(told).toMatchObject([{ code: 'store/fell-back', nextStep: expect.stringContaining('step 3') as string }]); // prettier-ignore
    expect(kept.record).toMatchObject({ step: 3, checkpointStep: 3 });
    expect([kept.steps, kept.alerts, kept.rolloutSteps]).toEqual([[1, 2, 3].map(at), [at(2)], [1, 3]]);
    expect(kept.evals).toEqual(evalsAt(0)); // the one of step 3 is repeated
  });
});
