/** Each call of the storage fails in turn, and a checkpoint that a full storage takes late. */
import { expect, it } from 'vitest';
import { newRunRecord } from '../../src/run/record/new-run';
import { createRunStore } from '../../src/store/runs';
import { refusalOf } from '../model/refusal';
import { example } from '../share/example-config';
import { createMemoryStore } from './memory-store';
import { checkpointAt, eventsOf, rolloutAt, stepWithin } from './run-parts';

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
