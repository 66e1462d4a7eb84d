/**
 * Runs in a storage in memory: stored, resumed and imported from files. `store.browser.test.ts` tests failures of the
 * browser's storage.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError } from '../../src/base/error';
import type { Alert, Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { RunHistory } from '../../src/run/record/history';
import { createRunStore, type RunStore } from '../../src/store/runs';
import { newRunRecord } from '../../src/run/record/new-run';
import { refusalOf } from '../model/refusal';
import { evalReport } from '../run/verdict/verdicts';
import { example } from '../share/example-config';
import { freshLocks } from '../workers/browser-locks';
import { modelSource } from '../../workers/models/backend';
import { createMemoryStore, type MemoryStore } from './memory-store';
import { checkpointAt, eventsOf, rolloutAt, stepWithin } from './run-parts';

let memory: MemoryStore;
let store: RunStore;
let id: string;
beforeEach(async () => {
  memory = createMemoryStore();
  store = createRunStore(memory.use);
  ({ id } = await store.createRun(newRunRecord({ ...example, steps: 6 }, 'example', {})));
});

const stepsOf = async (of = id): Promise<number[]> => (await store.loadRun(of)).steps.map(({ step }) => step);

/** Returns the run's history, as a file holds it, and deletes the run from the store. */
async function exportedHistory(): Promise<RunHistory> {
  const history = await store.loadRun(id);
  await store.deleteRun(id);
  return history;
}

describe('a run in the store', () => {
  it('restarts without steps after a crash before its first checkpoint', async () => {
    await store.appendEvents(id, eventsOf(1, 3));
    expect(await store.resumeRun(id)).toEqual({ resumed: null });
    expect(await stepsOf()).toEqual([]);
  });

  it('is deleted completely, without effect on other data', async () => {
    await store.saveCheckpoint(id, checkpointAt(1), eventsOf(1, 1));
    const left = memory.entries();
    const other = await store.createRun(newRunRecord(example, 'other', {}));
    await store.saveCheckpoint(other.id, checkpointAt(1), eventsOf(1, 1));
    await store.deleteRun(other.id);
    expect(await refusalOf(() => store.appendEvents(other.id, eventsOf(2, 2)))).toBe('store/no-run');
    expect(memory.entries()).toEqual(left);
    expect(await refusalOf(() => store.loadRun(other.id))).toBe('store/no-run');
  });
});

it('a run with a setting or a kind of model that earlier versions had is listed, opened and gone on with without it', async () => {
  const training = { mode: 'lora', rank: 4, alpha: 8 } as const;
  const model = { kind: 'url', url: 'https://a.example/models/own' } as never;
  const config = { ...example, model, training: { ...training, arithmetic: 'f16' } as typeof training };
  ({ id } = await store.createRun(newRunRecord(config, 'old', {})));
  await store.saveCheckpoint(id, { ...checkpointAt(1), config }, eventsOf(1, 1));
  const { resumed } = await store.resumeRun(id);
  const listed = (await store.listRuns()).find((run) => run.id === id);
  const { record, steps } = await store.loadRun(id);
  expect(steps).toHaveLength(1);
  for (const of of [listed, record, resumed?.checkpoint])
    expect(of?.config).toMatchObject({ training, model: { kind: 'files', name: 'own' } });
  expect(record.config.training).not.toHaveProperty('arithmetic');
  expect(await refusalOf(() => modelSource(record.config, { base: '', ownFiles: null }))).toBe(
    'app/choose-files',
  );
});

describe('a checkpoint that does not match its hash', () => {
  const putWeights = (checkpoint: Checkpoint) =>
    memory.use('readwrite', (raw) => void raw.put(checkpoint, ['weights', id, 'even']));

  it('is skipped, and the run resumes from the previous one', async () => {
    for (const step of [1, 2, 3]) await store.saveCheckpoint(id, checkpointAt(step), eventsOf(step, step));
    // Step 3 is the third save, which overwrote step 1.
    const damaged = checkpointAt(3);
    damaged.policy.moment2[500] += 1;
    await putWeights(damaged);
    const { resumed } = await store.resumeRun(id);
    expect([resumed!.checkpoint.step, resumed!.damaged, await stepsOf()]).toEqual([2, 'even', [1, 2]]);
    // Resuming deleted the damaged generation, so the next save does not overwrite the valid one.
    await store.saveCheckpoint(id, checkpointAt(4), eventsOf(3, 4));
    const after = await store.loadCheckpoint(id);
    expect([stepWithin(after!.checkpoint), after!.damaged]).toEqual([4, null]);
  });

  it('causes an error with a code if no generation is valid', async () => {
    await store.saveCheckpoint(id, checkpointAt(1));
    await putWeights(checkpointAt(9));
    expect(await refusalOf(() => store.loadCheckpoint(id))).toBe('store/damaged-checkpoint');
  });
});

describe('a resumed run', () => {
  const step = (number: number): TrainerEvent => ({ type: 'step', record: { step: number } });
  async function whileFull<T>(work: () => Promise<T>): Promise<T> {
    memory.onCall = (call) => {
      if (call === 'commit') throw new DOMException('full', 'QuotaExceededError');
    };
    return work().finally(() => (memory.onCall = () => undefined));
  }

  it('has its log truncated by the first successful write if the storage is full at first', async () => {
    await store.saveCheckpoint(id, checkpointAt(2), eventsOf(1, 2));
    await store.appendEvents(id, eventsOf(3, 5));
    const later = createRunStore(memory.use);
    const { resumed, refused } = await whileFull(() => later.resumeRun(id, { cores: 3 }));
    expect([resumed?.checkpoint.step, refused?.code]).toEqual([2, 'store/full']);
    expect(await whileFull(() => refusalOf(() => later.appendEvents(id, [step(3)])))).toBe('store/full');
    await later.appendEvents(id, [step(4)]);
    await later.appendEvents(id, [step(5)]);
    const { record, steps } = await later.loadRun(id);
    expect(steps.map((row) => row.step)).toEqual([1, 2, 3, 4, 5]);
    expect(record).toMatchObject({ step: 5, checkpointStep: 2, machine: { cores: 3 } });
    await whileFull(() => later.resumeRun(id));
    await later.resumeRun(id);
    await later.appendEvents(id, [step(3)]);
    expect(await stepsOf()).toEqual([1, 2, 3]);
  });

  it('does not truncate the steps of another tab after the storage was full', async () => {
    await store.saveCheckpoint(id, checkpointAt(2), eventsOf(1, 2));
    await store.appendEvents(id, eventsOf(3, 3));
    const [here, there] = [createRunStore(memory.use), createRunStore(memory.use)];
    await whileFull(() => here.resumeRun(id));
    await there.resumeRun(id);
    await there.appendEvents(id, eventsOf(3, 5));
    expect(await refusalOf(() => here.appendEvents(id, [step(3)]))).toBe('store/gone-on-elsewhere');
    expect(await stepsOf()).toEqual([1, 2, 3, 4, 5]);
  });

  it('gets its status with the next successful write', async () => {
    const error = { code: 'gpu/out-of-memory' as const, message: 'No memory.', nextStep: 'Less.' };
    const failed = () => store.appendEvents(id, [step(1), { type: 'failed', error }]);
    expect(await whileFull(() => refusalOf(failed))).toBe('store/full');
    await store.appendEvents(id, []);
    const { record } = await store.loadRun(id);
    expect(record).toMatchObject({ status: 'failed', step: 1, failure: 'No memory. Less.' });
  });

  it('keeps the steps that come with a checkpoint that cannot be hashed', async () => {
    const broken = { ...checkpointAt(2), policy: 1n } as unknown as Checkpoint;
    await expect(store.saveCheckpoint(id, broken, eventsOf(1, 2))).rejects.toThrow(TypeError);
    await store.appendEvents(id, eventsOf(3, 3));
    expect(await stepsOf()).toEqual([1, 2, 3]);
  });

  it.each(['stored', 'refused at first'])(
    'is kept whole by a storage that completes a write after its timeout, %s before',
    async (before) => {
      let isLate = false;
      const lateUse: typeof memory.use = async (mode, callback) => {
        const result = await memory.use(mode, callback);
        if (isLate && mode === 'readwrite') throw new MarbleError('store/unavailable', 'no answer', 'wait');
        return result;
      };
      const tab = createRunStore(lateUse);
      const record = newRunRecord({ ...example, steps: 6 }, 'late', {});
      if (before === 'stored') await tab.createRun(record);
      else tab.createLater(record);
      isLate = true;
      const saved = tab.saveCheckpoint(record.id, checkpointAt(2), eventsOf(1, 2));
      expect(await refusalOf(() => saved)).toBe('store/unavailable');
      isLate = false;
      await tab.appendEvents(record.id, eventsOf(3, 4));
      await tab.appendEvents(record.id, eventsOf(5, 5));
      expect(await stepsOf(record.id)).toEqual([1, 2, 3, 4, 5]);
      const { resumed } = await store.resumeRun(record.id);
      expect([resumed?.checkpoint.step, await stepsOf(record.id)]).toEqual([2, [1, 2]]);
    },
  );

  it('keeps all steps, but rollouts of the last 20 only, while the storage is full', async () => {
    for (let step = 1; step <= 25; step += 1)
      await whileFull(() => refusalOf(() => store.appendEvents(id, eventsOf(step, step))));
    await store.appendEvents(id, []);
    const steps = await stepsOf();
    expect([steps.length, await store.rolloutSteps(id)]).toEqual([25, steps.slice(5)]);
  });

  it('in another tab rejects the pending steps of this tab', async () => {
    const there = createRunStore(memory.use);
    await store.appendEvents(id, [step(1)]);
    await whileFull(() => refusalOf(() => store.appendEvents(id, [step(2)])));
    await there.resumeRun(id);
    await there.appendEvents(id, [1, 2].map(step)); // as many as this tab has
    expect(await refusalOf(() => store.appendEvents(id, []))).toBe('store/gone-on-elsewhere');
    expect(await stepsOf()).toEqual([1, 2]);
  });
});

describe('a run from a file', () => {
  it('is stored once for repeated imports, with the status done', async () => {
    await store.saveCheckpoint(id, checkpointAt(6), eventsOf(1, 6));
    const history = await store.loadRun(id);
    expect(await store.keepRun(history, [], checkpointAt(6))).toMatchObject({ isNew: false, record: { id } });
    await store.deleteRun(id);
    const first = await store.keepRun(history, [], checkpointAt(6));
    expect(first).toMatchObject({ isNew: true, record: { status: 'done', step: 6 } });
    const again = await store.keepRun(history, [], checkpointAt(6));
    expect(again).toMatchObject({ isNew: false, record: { id: first.record.id } });
    const shorter = { ...history, steps: history.steps.slice(0, 5) };
    expect((await store.keepRun(shorter, [], checkpointAt(6))).isNew).toBe(true);
    expect(await store.listRuns()).toHaveLength(2);
  });

  it('with steps after its checkpoint resumes from the checkpoint, without repeated steps', async () => {
    await store.saveCheckpoint(id, checkpointAt(3), eventsOf(1, 3));
    await store.appendEvents(id, eventsOf(4, 5));
    const all = [1, 2, 3, 4, 5];
    const rollouts = all.map((step) => [rolloutAt(step)]);
    const alerts = [2, 5].map((step) => ({ step }) as Alert);
    const history = { ...(await exportedHistory()), alerts };
    const { record } = await store.keepRun(history, rollouts, checkpointAt(3));
    expect(await store.loadRun(record.id)).toMatchObject({ steps: history.steps, alerts });
    const { resumed } = await store.resumeRun(record.id);
    expect([resumed!.checkpoint.step, await stepsOf(record.id)]).toEqual([3, [1, 2, 3]]);
    expect((await store.loadRun(record.id)).alerts).toEqual([{ step: 2 }]);
    await store.appendEvents(record.id, eventsOf(4, 5));
    expect([await stepsOf(record.id), await store.rolloutSteps(record.id)]).toEqual([all, all]);
  });

  it.each([
    [2, [0, 2]],
    [0, [0]],
  ])(
    'repeats the evaluations after step %i, the last evaluation in its checkpoint',
    async (evaluatedStep, evaluatedSteps) => {
      await store.saveCheckpoint(id, checkpointAt(2), eventsOf(1, 2));
      const evals = [0, 2].map((step) => ({ report: evalReport({ step }) }));
      const checkpoint = { ...checkpointAt(2), trainer: { evaluatedStep } };
      const { record } = await store.keepRun({ ...(await exportedHistory()), evals }, [], checkpoint);
      await store.resumeRun(record.id);
      const { evals: storedEvals } = await store.loadRun(record.id);
      expect(storedEvals.map(({ report }) => report.step)).toEqual(evaluatedSteps);
    },
  );

  it('leaves no data after a damaged file, and after a crash of the tab only until the next import', async () => {
    async function* damaged() {
      yield await Promise.resolve([rolloutAt(1)]);
      throw new Error('the hash does not hold');
    }
    const history = await exportedHistory();
    await expect(store.keepRun(history, damaged(), null)).rejects.toThrow('the hash does not hold');
    expect(memory.entries()).toEqual([]);
    await memory.use('readwrite', (raw) => {
      raw.put({ id: 'dead' }, ['import', 'dead']);
      raw.put([rolloutAt(1)], ['rollouts', 'dead', 0, 1]);
    });
    await store.deleteRun((await store.keepRun(history, [], null)).record.id);
    expect(memory.entries()).toEqual([]);
  });

  it('stays if it is complete before an import of another tab looks for what a crash has left', async () => {
    const history = await exportedHistory();
    await memory.use('readwrite', (raw) => void raw.put({ id: 'slow' }, ['import', 'slow']));
    let calls = 0;
    const use: typeof memory.use = async (mode, callback) => {
      const result = await memory.use(mode, callback);
      if (calls++ === 0)
        await memory.use('readwrite', (raw) => {
          raw.put({ ...history.record, id: 'slow' }, ['run', 'slow']);
          raw.delete(['import', 'slow']);
        });
      return result;
    };
    await createRunStore(use).keepRun(history, [], null);
    expect((await store.listRuns()).map((run) => run.id)).toContain('slow');
  });

  it('keeps its data while it is imported, and without locks is refused by name if another import deletes them', async () => {
    const history = await exportedHistory();
    const createdAt = (time: number): RunHistory => ({
      ...history,
      record: { ...history.record, createdAt: time },
    });
    async function* slow() {
      yield await Promise.resolve([rolloutAt(1)]);
      await store.keepRun(createdAt(1), [], null);
    }
    for (const hasLocks of [true, false]) {
      vi.stubGlobal('navigator', hasLocks ? { locks: freshLocks() } : {});
      const kept = store.keepRun(createdAt(2), slow(), null);
      if (hasLocks) expect(await store.rolloutSteps((await kept).record.id)).toEqual([1]);
      else await expect(kept).rejects.toMatchObject({ code: 'store/import-cut' });
      for (const run of await store.listRuns()) await store.deleteRun(run.id);
      expect(memory.entries()).toEqual([]);
    }
    vi.unstubAllGlobals();
  });

  it('is recorded once if its first write was stored without an answer', async () => {
    const record = newRunRecord(example, 'late', {});
    const other = createRunStore(memory.use);
    await other.createRun(record);
    other.createLater(record);
    for (const step of [1, 2]) await other.appendEvents(record.id, eventsOf(step, step));
    expect(await store.loadRun(record.id)).toMatchObject({ record: { step: 2 }, steps: [{}, {}] });
  });

  it('is added later, if its first write was refused, also if its deletion has failed', async () => {
    const record = newRunRecord(example, 'late', {});
    const other = createRunStore(memory.use);
    other.createLater(record);
    memory.onCall = () => Promise.reject(new DOMException('busy', 'UnknownError'));
    expect(await refusalOf(() => other.deleteRun(record.id))).toBe('store/unavailable');
    memory.onCall = () => undefined;
    await other.appendEvents(record.id, eventsOf(1, 1));
    expect(await stepsOf(record.id)).toEqual([1]);
  });

  it('never replaces a run of the same id', async () => {
    await expect(store.createRun(newRunRecord(example, 'second', {}, undefined, id))).rejects.toMatchObject({
      code: 'store/run-exists',
    });
    const other = createRunStore(memory.use);
    const { record } = await store.loadRun(id);
    other.createLater({ ...record, name: 'third', createdAt: record.createdAt + 1 });
    await expect(other.appendEvents(id, [])).rejects.toMatchObject({ code: 'store/run-exists' });
    expect((await store.listRuns()).map(({ name }) => name)).toEqual(['example']);
  });
});
