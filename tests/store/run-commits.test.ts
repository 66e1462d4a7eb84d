import { expect, it } from 'vitest';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { createRunStore } from '../../src/store/runs';
import { refusalOf } from '../model/refusal';
import { example } from '../share/example-config';
import { createMemoryStore } from './memory-store';

const step = (number: number): TrainerEvent => ({ type: 'step', record: { step: number } });
const full = (call: string): void => {
  if (call === 'commit') throw new DOMException('full', 'QuotaExceededError');
};

it('a run that goes on while the storage is full has its log cut by the first write that it takes', async () => {
  const memory = createMemoryStore();
  const numbers = new Float32Array(2);
  const checkpoint: Checkpoint = {
    ...{ version: 1, config: example, step: 2, trainer: {} },
    policy: { parameters: numbers, moment1: numbers, moment2: numbers, updates: 2, reference: null },
  };
  const before = createRunStore(memory.use);
  const { id } = await before.createRun(example, 'full', {});
  await before.saveCheckpoint(id, checkpoint, [1, 2].map(step));
  await before.appendEvents(id, [3, 4, 5].map(step));
  const store = createRunStore(memory.use);
  memory.onCall = full;
  const { resumed, refused } = await store.resumeRun(id, { cores: 3 });
  expect([resumed?.checkpoint.step, refused?.code]).toEqual([2, 'store/full']);
  expect(await refusalOf(() => store.appendEvents(id, [step(3)]))).toBe('store/full');
  memory.onCall = () => undefined;
  await store.appendEvents(id, [step(4)]);
  await store.appendEvents(id, [step(5)]);
  const { record, steps } = await store.loadRun(id);
  expect(steps.map((row) => row.step)).toEqual([1, 2, 3, 4, 5]);
  expect(record).toMatchObject({ step: 5, checkpointStep: 2, logLength: 5, machine: { cores: 3 } });
});

it('what a tab still had of a run that another has gone on with, and nothing of it is written', async () => {
  const memory = createMemoryStore();
  const [here, there] = [createRunStore(memory.use), createRunStore(memory.use)];
  const { id } = await here.createRun(example, 'shared', {});
  await here.appendEvents(id, [step(1)]);
  memory.onCall = full;
  await here.appendEvents(id, [step(2)]).catch(() => undefined);
  memory.onCall = () => undefined;
  await there.resumeRun(id);
  await there.appendEvents(id, [1, 2, 3].map(step));
  expect(await refusalOf(() => here.appendEvents(id, []))).toBe('store/gone-on-elsewhere');
  expect((await there.loadRun(id)).steps.map((row) => row.step)).toEqual([1, 2, 3]);
});
