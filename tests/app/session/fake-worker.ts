/** The trainer's worker as the page sees it, with answers that a test gives. */
import { afterEach, beforeEach, vi } from 'vitest';
import { createSession } from '../../../src/app/session/session';
import type { OpenPort } from '../../../src/app/session/worker-port';
import { MarbleError, type ErrorReport } from '../../../src/base/error';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { ImportedRun } from '../../../src/store/keep-run';
import type {
  KeptRun,
  RunCommand,
  RunFacts,
  RunPhase,
  RunState,
  WorkerEvent,
} from '../../../workers/protocol';
import type { TrainerService } from '../../../workers/service';
import { example } from '../../share/example-config';

export interface FakeWorker {
  tell: (event: WorkerEvent) => void;
  /** Sends the state of its run with these changes. */
  change: (phase: RunPhase, facts?: Partial<RunFacts>) => void;
  /** Opens this run and trains it. */
  train: (kept: KeptRun) => void;
  /** Simulates an uncaught error in the worker. */
  fail: () => void;
  isClosed: boolean;
  /** Answers of this worker alone, before those of all. */
  answers: Answers;
  /** Calls and commands in their order, with what closing and failing means among them. */
  calls: string[];
}

export type FakeWorld = ReturnType<typeof fakeWorld>;

export const lost: ErrorReport = {
  code: 'gpu/device-lost',
  message: 'The GPU is gone.',
  nextStep: 'Resume.',
};

/** The answer of a worker that refuses. */
export const refusing = (code: ConstructorParameters<typeof MarbleError>[0]) => (): never => {
  throw new MarbleError(code, 'It is refused.', 'Try again.');
};

/** Fakes the timers in all tests of a file. @returns completes all work that is due, without advancing the clock */
export function fakeClock(): () => Promise<unknown> {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return () => vi.advanceTimersByTimeAsync(0);
}

/** Waits until all work that needs no timer is done. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

type Call = keyof TrainerService | RunCommand;
type Answers = Partial<Record<Call, (...given: never[]) => unknown>>;

export const noCapabilities = { adapter: null, storage: null };

export function keptRunOf(id: string): KeptRun {
  const record = { ...newRunRecord(example, id, {}), id };
  return { record, steps: [], evals: [], alerts: [], rolloutSteps: [] };
}

const usual: Answers = {
  listRuns: () => [],
  capabilities: () => noCapabilities,
  isAlive: () => true,
};

/**
 * @param answers - what each call answers; it may throw, or give a promise that never settles
 * @param runFileAnswer - what comes of a file that is opened
 * @param closeReader - called when the reader of the file is closed
 */
export function fakeWorld(
  answers: Answers,
  runFileAnswer: () => ImportedRun | Promise<ImportedRun> = refusing('share/bad-file'),
  closeReader: () => void = () => undefined,
) {
  const workers: FakeWorker[] = [];
  const openPort = (): ReturnType<OpenPort> => {
    let fail: (reason: Error) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => (fail = reject));
    ended.catch(() => undefined);
    let state: RunState = { is: 'opening', id: null, stage: 'model', download: null, unkept: [] };
    const worker: FakeWorker = {
      tell: () => undefined,
      change: (phase, facts) => {
        state = { ...state, ...phase, ...facts };
        worker.tell({ type: 'state', state });
      },
      train: (kept) => {
        worker.tell({ type: 'run', kept, parts: null });
        worker.change({ is: 'running' }, { id: kept.record.id });
      },
      fail: () => fail(new MarbleError('app/worker-failed', 'It failed.', 'Reload.')),
      isClosed: false,
      answers: {},
      calls: [],
    };
    workers.push(worker);
    const service = new Proxy({} as TrainerService, {
      get: (_, method: keyof TrainerService) => {
        return async (...given: never[]) => {
          const name: Call = method === 'command' ? given[0] : method;
          worker.calls.push(name);
          await Promise.resolve();
          if (name === 'connect') {
            worker.tell = given[1];
            return noCapabilities;
          }
          return (worker.answers[name] ?? answers[name] ?? usual[name])?.(...given);
        };
      },
    });
    const close = (): void => {
      worker.isClosed = true;
      worker.calls.push('(closed)');
      fail(new MarbleError('app/worker-closed', 'It was closed.', 'Reload.'));
    };
    return { service, ended, close };
  };
  const read = (): Promise<never> => Promise.resolve().then(runFileAnswer) as Promise<never>;
  const openReader = () => ({ asked: read, read, close: closeReader });
  const drawn = (): Promise<void> => Promise.resolve();
  const session = createSession({ openPort, base: 'http://localhost/', openReader, drawn });
  return { session, workers };
}

/** A page whose first worker trains run `a`. The clock of the test does not advance. */
export async function trainingPage(answers: Answers = {}) {
  const world = fakeWorld({ start: () => 'a', ...answers });
  await world.session.refreshRuns();
  const begun = await world.session.begin({ config: example, backend: 'automatic', isAttended: true });
  world.workers[0].train(keptRunOf('a'));
  await vi.advanceTimersByTimeAsync(0);
  return { ...world, ended: begun!.ended };
}
