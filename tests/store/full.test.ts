/** The storage is full from its n-th write on, for every n in the life of a run, from its data set to its end. */
import { expect, it } from 'vitest';
import { newRunRecord } from '../../src/run/record/new-run';
import { createDatasetStore } from '../../src/store/datasets';
import { createRunStore } from '../../src/store/runs';
import type { RunRecord } from '../../src/run/record/run-record';
import type { Item } from '../../src/tom/item';
import { refusalOf } from '../model/refusal';
import { example } from '../share/example-config';
import { createMemoryStore } from './memory-store';
import { checkpointAt, eventsOf, rolloutAt, stepWithin } from './run-parts';

/** Phases of a run, with the first write that fails from `full` on; 0 for none. @returns the number of writes */
async function live(full: number): Promise<number> {
  const memory = createMemoryStore();
  const store = createRunStore(memory.use);
  const datasets = createDatasetStore(memory.use);
  const about = { id: 'own-1', bytes: 1, name: 'own', dataset: 'own', licence: '' } as const;
  const config = { ...example, steps: 6 };
  let id = '';
  const phases: [string, () => Promise<unknown>][] = [
    ['data set', () => datasets.putDataset(about, [{ storyId: 'a', order: 1 } as Item])],
    ['start', async () => ({ id } = await store.createRun(newRunRecord(config, 'example', {})))],
    ['first checkpoint', () => store.saveCheckpoint(id, checkpointAt(1), eventsOf(1, 1))],
    ['later checkpoint', () => store.saveCheckpoint(id, checkpointAt(2), eventsOf(2, 2))],
    ['result', () => store.saveCheckpoint(id, checkpointAt(6), eventsOf(3, 6))],
    ['end', () => store.updateRun(id, { status: 'done' })],
  ];
  let writes = 0;
  /** The run if its creation was refused. */
  let deferred: RunRecord | null = null;
  memory.onCall = (call) => {
    if (call === 'put' && ++writes >= full && full > 0) throw new DOMException('', 'QuotaExceededError');
  };
  for (const [name, phase] of phases) {
    const before = memory.entries();
    const count = writes;
    const code = await refusalOf(phase);
    const isRefused = full > 0 && writes >= full && writes > count;
    const hasNoRecord = deferred !== null && name === 'end';
    const expected = isRefused ? 'store/full' : hasNoRecord ? 'store/no-run' : 'accepted';
    expect(code, `${name}, full from write ${full} on`).toBe(expected);
    // What was stored stays, whole; of the refused phase nothing is stored.
    if (isRefused) expect(memory.entries()).toEqual(before);
    if (isRefused && name === 'start') {
      deferred = newRunRecord(config, 'example', {});
      store.createLater(deferred);
      ({ id } = deferred);
    }
  }
  // With room again the run is stored to its end, without a gap.
  memory.onCall = () => undefined;
  await store.saveCheckpoint(id, checkpointAt(6), full === 0 ? [] : eventsOf(7, 7));
  const { steps } = await store.loadRun(id);
  expect(steps.map(({ step }) => step).slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
  return writes;
}

it('a full storage refuses each write of a run by name, and loses nothing that it has', async () => {
  const writes = await live(0);
  expect(writes).toBeGreaterThan(12);
  for (let full = 1; full <= writes; full++) await live(full);
});

it.each(['saving', 'resuming', 'importing'] as const)(
  'a storage that fails at any call while %s, once or permanently, leaves the run intact',
  async (work) => {
    for (const isOnce of [true, false]) {
      for (let nth = 1, isMet = true; isMet; nth += 1) {
        const memory = createMemoryStore();
        const store = createRunStore(memory.use);
        const { id } = await store.createRun(newRunRecord(example, 'example', {}));
        for (const step of [1, 2]) await store.saveCheckpoint(id, checkpointAt(step), eventsOf(step, step));
        if (work === 'resuming') await store.appendEvents(id, eventsOf(3, 4));
        const history = await store.loadRun(id);
        if (work === 'importing') await store.deleteRun(id);
        let calls = 0;
        memory.onCall = () => {
          calls += 1;
          if (calls === nth || (calls > nth && !isOnce))
            throw new DOMException('the disk is gone', 'NotReadableError');
        };
        const acts = {
          saving: () => store.saveCheckpoint(id, checkpointAt(3), eventsOf(3, 3)),
          resuming: () => store.resumeRun(id),
          importing: () =>
            store.keepRun(
              history,
              [1, 2].map((step) => [rolloutAt(step)]),
              checkpointAt(2),
            ),
        };
        const code = await refusalOf(acts[work]);
        isMet = calls >= nth;
        memory.onCall = () => undefined;
        // An error of an import's clean-up is not reported.
        if (work !== 'importing')
          expect([nth, code]).toEqual([nth, isMet ? 'store/unavailable' : 'accepted']);
        for (const { id: found, checkpointStep } of await store.listRuns()) {
          if (code === 'accepted' && work === 'saving') expect(checkpointStep).toBe(3);
          const { checkpoint } = (await store.loadCheckpoint(found))!;
          expect([nth, stepWithin(checkpoint)]).toEqual([nth, checkpointStep]);
          const steps = (await store.loadRun(found)).steps.map(({ step }) => step);
          expect(steps).toEqual(Array.from(steps, (_, index) => index + 1));
          expect(steps.length).toBeGreaterThanOrEqual(checkpointStep!);
        }
      }
    }
  },
);

it('a checkpoint that is stored after later steps is followed by none of them when its run resumes', async () => {
  const memory = createMemoryStore();
  const store = createRunStore(memory.use);
  const { id } = await store.createRun(newRunRecord({ ...example, steps: 6 }, 'example', {}));
  const refused = checkpointAt(2);
  memory.onCall = () => {
    throw new DOMException('', 'QuotaExceededError');
  };
  expect(await refusalOf(() => store.saveCheckpoint(id, refused, eventsOf(1, 2)))).toBe('store/full');
  memory.onCall = () => undefined;
  await store.appendEvents(id, eventsOf(3, 4));
  await store.saveCheckpoint(id, refused);
  const { resumed } = await store.resumeRun(id);
  expect(resumed!.checkpoint.step).toBe(2);
  await store.appendEvents(id, eventsOf(3, 5));
  const { steps } = await store.loadRun(id);
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
});
