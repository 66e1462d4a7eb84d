/** Stubs of the library, the plan of a run and the storage, for the tests of workers. */
import { vi } from 'vitest';
import type { ErrorReport } from '../../src/base/error';
import type { TrainOptions } from '../../src/rl/trainer';
import type { TrainerEvent } from '../../src/run/record/events';
import { newRunRecord } from '../../src/run/record/new-run';
import type { Store } from '../../src/store/store';
import { example } from '../share/example-config';

/** Behaviour of the stubbed library, with the list of disposed objects. */
export const library = {
  train: (() => {
    throw new Error('no test has said what training does');
  }) as (options: TrainOptions) => AsyncGenerator<TrainerEvent>,
  load: () => Promise.resolve(),
  disposed: [] as string[],
  throwOnDispose: false,
};

const dispose = (name: string) => () => {
  library.disposed.push(name);
  if (library.throwOnDispose) throw new Error(`${name} is gone`);
};

export const index = {
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

export const planned = { refusal: null as ErrorReport | null };
export const plan = {
  plannedRun: () => Promise.resolve({ parts: { step: 1, ends: 3, look: 2 }, refusal: planned.refusal }),
};

/** A storage with one run that has no checkpoint. */
export const record = newRunRecord(example, 'example', {});
export const store = {
  createRun: () => Promise.resolve(record),
  createLater: () => undefined,
  updateRun: () => Promise.resolve(record),
  appendEvents: () => Promise.resolve(),
  saveCheckpoint: () => Promise.resolve(),
  loadRun: () => Promise.resolve({ record, steps: [], evals: [], alerts: [] }),
  rolloutSteps: () => Promise.resolve([]),
  loadRollouts: () => Promise.resolve([]),
  rolloutBatches: async function* () {},
  loadCheckpoint: () => Promise.resolve(null),
  resumeRun: () => Promise.resolve({ record, resumed: null }),
  listRuns: () => Promise.resolve([record]),
  deleteRun: () => Promise.resolve(),
} as unknown as Store;
export const storage = { storeOnDemand: () => () => Promise.resolve(store) };

/** Call before each test. */
export function resetStubs(): void {
  vi.stubGlobal('MARBLE_BUILD', 'test');
  library.load = () => Promise.resolve();
  library.disposed.length = 0;
  library.throwOnDispose = false;
}
