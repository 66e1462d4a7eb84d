import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrainOptions } from '../../src/rl/trainer';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { newRunRecord } from '../../src/run/record/new-run';
import type { Store } from '../../src/store/store';
import { modelSource } from '../../workers/models/backend';
import { keptRun } from '../../workers/beginning';
import { createDatasetService } from '../../workers/dataset-service';
import type { TrainerService, WorkerEvent } from '../../workers/protocol';
import { createTrainerService } from '../../workers/service';
import { refusalOf, refusalTextOf } from '../model/refusal';
import { example } from '../share/example-config';

/** A library whose training waits for its stop, and a storage with one run that has no checkpoint. */
const doubles = vi.hoisted(() => ({ load: () => Promise.resolve() }));

vi.mock('../../src/index', () => {
  const dispose = () => undefined;
  return {
    chooseBackend: () => null,
    tuneModel: () => null,
    modelTileCode: () => '',
    probeAdapter: () => Promise.resolve(null),
    openEngine: () => Promise.resolve({ capabilities: null, lost: new Promise(() => undefined), dispose }),
    loadPolicy: async () => {
      await doubles.load();
      return { config: {}, dispose };
    },
    train: async function* (
      ...[, , , , { signal }]: [never, never, never, never, TrainOptions]
    ): AsyncGenerator<TrainerEvent> {
      yield { type: 'step', record: { step: 1 } };
      if (signal?.aborted !== true) {
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      }
      yield { type: 'checkpoint', checkpoint: { version: 1, config: example, step: 1 } as Checkpoint };
    },
  };
});

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
} as unknown as Store;
vi.mock('../../src/store/store', () => ({ openStore: () => Promise.resolve(store) }));

beforeEach(() => {
  doubles.load = () => Promise.resolve();
  const request = (_: string, __: unknown, use: (lock: object) => unknown) => Promise.resolve(use({}));
  vi.stubGlobal('navigator', {
    ...{ userAgent: 'test', hardwareConcurrency: 2 },
    locks: { request, query: () => Promise.resolve({ held: [] }) },
  });
  vi.stubGlobal('MARBLE_BUILD', 'test');
  vi.stubGlobal('location', { origin: 'https://marble.example' });
});

describe('the trainer', () => {
  const serviceWith = async (): Promise<{ service: TrainerService; ended: Promise<void> }> => {
    const service = createTrainerService('');
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await service.connect('http://localhost/', ({ type }: WorkerEvent) => {
      if (type === 'stopped') end();
    });
    return { service, ended };
  };

  it('does not begin a second run beside the one that trains', async () => {
    const { service, ended } = await serviceWith();
    await service.start(example, 'first', 'wasm');
    expect(await refusalOf(() => service.start(example, 'second', 'wasm'))).toBe('app/already-training');
    await service.stop();
    await ended;
  });

  it('says that another tab trains where that one holds the lock', async () => {
    const request = (_: string, __: unknown, use: (lock: null) => unknown) => Promise.resolve(use(null));
    const query = () => Promise.resolve({ held: [] });
    vi.stubGlobal('navigator', { userAgent: 'test', locks: { request, query } });
    const { service } = await serviceWith();
    expect(await refusalOf(() => service.start(example, 'first', 'wasm'))).toBe('store/other-tab');
  });

  it('takes no order where it trains nothing', async () => {
    const { service } = await serviceWith();
    for (const order of [() => service.pause(), () => service.goOn(), () => service.step()]) {
      expect(await refusalOf(order)).toBe('app/not-training');
    }
  });

  it('that is stopped while a model loads says that nothing was begun', async () => {
    const { service } = await serviceWith();
    let loaded: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => {
      doubles.load = () => {
        resolve();
        return new Promise((done) => (loaded = done));
      };
    });
    const started = refusalOf(() => service.start(example, 'first', 'wasm'));
    await loading;
    await service.stop();
    loaded();
    expect(await started).toBe('app/stopped-early');
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
    const told: WorkerEvent[] = [];
    const checkpoint = { version: 1, config: example, step: 3 } as Checkpoint;
    const fallen = {
      ...store,
      resumeRun: () => Promise.resolve({ record, resumed: { checkpoint, fellBack: true } }),
    } as unknown as Store;
    const beginning = await keptRun(record.id, 'wasm', fallen, (event) => told.push(event));
    await beginning.open({});
    expect(told).toMatchObject([
      {
        type: 'storage',
        error: { code: 'store/fell-back', nextStep: expect.stringContaining('step 3') as string },
      },
    ]);
  });
});

describe('a data set', () => {
  const fetchFile = (address: string) => refusalOf(() => createDatasetService().fetchFile(address));

  it.each(['http://data.example/rows.csv', 'javascript:alert(1)', 'rows.csv', 'file:///etc/passwd'])(
    'is not fetched from %s',
    async (address) => {
      const fetched = vi.fn();
      vi.stubGlobal('fetch', fetched);
      expect(await fetchFile(address)).toBe('app/bad-address');
      expect(fetched).not.toHaveBeenCalled();
    },
  );

  it('whose server has no such file is named with its address', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 404 })));
    expect(await fetchFile('https://data.example/rows.csv')).toBe('model/file-missing');
  });
});
