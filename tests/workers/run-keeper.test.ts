import { describe, expect, it } from 'vitest';
import { MarbleError, type ErrorReport } from '../../src/base/error';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { RunStatus } from '../../src/run/record/run-record';
import type { Store } from '../../src/store/store';
import { createRunKeeper } from '../../workers/run-keeper';

/** A store that records its writes, and refuses them while it is full. */
function keeperOver() {
  const taken: string[] = [];
  const told: ErrorReport[] = [];
  const full: { is: boolean | 'for the best' } = { is: false };
  const take = (...what: string[]): Promise<void> => {
    if (full.is === true || (full.is !== false && what[0].startsWith('best')))
      return Promise.reject(new MarbleError('store/full', 'no room', 'make some'));
    taken.push(...what);
    return Promise.resolve();
  };
  const store = {
    appendEvents: (_: string, events: readonly TrainerEvent[]) => take(...events.map(({ type }) => type)),
    saveCheckpoint: (_: string, { step }: Checkpoint, __: unknown, { best }: { best: boolean }) =>
      take(`${best ? 'best ' : ''}checkpoint ${step}`),
    updateRun: (_: string, { status }: { status: RunStatus }) => take(`is ${status}`),
  } as unknown as Store;
  return { keeper: createRunKeeper(store, 'run', (error) => told.push(error)), taken, told, full };
}

const step = (number: number): TrainerEvent => ({ type: 'step', record: { step: number } });
const checkpoint = { step: 2 } as Checkpoint;

it('writes one thing after another, also if two are asked for at once', async () => {
  let open = 0;
  const most: number[] = [];
  const write = async (): Promise<void> => {
    open += 1;
    most.push(open);
    await new Promise((resolve) => setTimeout(resolve));
    open -= 1;
  };
  const store = { appendEvents: write, saveCheckpoint: write } as unknown as Store;
  const keeper = createRunKeeper(store, 'run', () => undefined);
  keeper.add(step(1));
  const first = keeper.flush();
  keeper.add(step(2));
  await Promise.all([first, keeper.flush(), keeper.checkpoint(checkpoint, false)]);
  expect(new Set(most)).toEqual(new Set([1]));
});

describe('how a run stands', () => {
  it('is written with the next thing that the storage takes, where it was refused', async () => {
    const { keeper, taken, told, full } = keeperOver();
    full.is = true;
    await keeper.status('stopped');
    expect([taken, told.map(({ code }) => code)]).toEqual([[], ['store/full']]);
    full.is = false;
    await keeper.settle();
    expect(taken).toEqual(['is stopped']);
    await keeper.settle();
    expect(taken).toEqual(['is stopped']);
  });

  it('is what was said last: an old word does not come after a new one', async () => {
    const { keeper, taken, full } = keeperOver();
    full.is = true;
    await keeper.status('paused');
    await keeper.status('running');
    full.is = false;
    await keeper.checkpoint(checkpoint, false);
    expect(taken).toEqual(['checkpoint 2', 'is running']);

    full.is = true;
    await keeper.status('paused');
    keeper.add(step(3));
    full.is = false;
    await keeper.flush();
    expect(taken.slice(2)).toEqual(['step']);
  });

  it('is written after what was refused before, and is no part of whether a checkpoint is kept', async () => {
    const asked: string[] = [];
    const refused = { events: true, status: false };
    const take = async (what: keyof typeof refused, name: string): Promise<void> => {
      asked.push(name);
      await Promise.resolve();
      if (refused[what]) throw new MarbleError('store/full', 'no room', 'make some');
    };
    const store = {
      appendEvents: (_: string, events: readonly TrainerEvent[]) => take('events', `${events.length} events`),
      saveCheckpoint: () => take('events', 'checkpoint'),
      updateRun: (_: string, { status }: { status: RunStatus }) => take('status', status),
    } as unknown as Store;
    const keeper = createRunKeeper(store, 'run', () => undefined);
    keeper.add(step(1));
    await keeper.flush();
    refused.events = false;
    await keeper.status('paused');
    // The store still has the event, in its log.
    expect([asked, keeper.holdsAll()]).toEqual([['1 events', '0 events', 'paused'], true]);
    refused.status = true;
    await keeper.status('running');
    expect([await keeper.checkpoint(checkpoint, false), keeper.holdsAll()]).toEqual([true, false]);
    refused.status = false;
    await keeper.flush();
    expect(asked.slice(3)).toEqual(['running', 'checkpoint', 'running', '0 events', 'running']);
    expect(keeper.holdsAll()).toBe(true);
  });

  it('is not written of a run that was deleted', async () => {
    const told: string[] = [];
    let asked = 0;
    const gone = (): Promise<never> => {
      asked += 1;
      return Promise.reject(new MarbleError('store/no-run', 'no such run', 'choose one'));
    };
    const store = { appendEvents: gone, updateRun: gone } as unknown as Store;
    const keeper = createRunKeeper(store, 'run', ({ code }) => told.push(code));
    await keeper.status('stopped');
    await keeper.settle();
    expect([asked, told]).toEqual([1, ['store/no-run']]);
  });
});

it('the last checkpoint that the storage refused is stored as the best one, if it is', async () => {
  for (const best of [true, false]) {
    const { keeper, taken, full } = keeperOver();
    full.is = true;
    await keeper.checkpoint(checkpoint, best);
    full.is = false;
    await keeper.settle();
    expect(taken).toEqual([best ? 'best checkpoint 2' : 'checkpoint 2']);
    expect(keeper.holdsAll()).toBe(true);
  }
});

it('the best checkpoint that the storage refused is stored before a later one, once there is room for it', async () => {
  const { keeper, taken, full } = keeperOver();
  full.is = true;
  await keeper.checkpoint(checkpoint, true);
  full.is = 'for the best';
  expect(await keeper.checkpoint({ step: 3 } as Checkpoint, false)).toBe(true);
  expect([taken, keeper.holdsAll()]).toEqual([['checkpoint 3'], false]);
  full.is = false;
  await keeper.settle();
  expect(taken.slice(1)).toEqual(['best checkpoint 2', 'checkpoint 3']);
  await keeper.checkpoint({ step: 4 } as Checkpoint, false);
  expect([taken.slice(3), keeper.holdsAll()]).toEqual([['checkpoint 4'], true]);
});

describe('an alert of an unfinished step', () => {
  const alert = (number: number): TrainerEvent => ({
    type: 'alert',
    alert: { step: number, code: 'rl/no-signal', severity: 'error', cause: '', nextStep: '' },
  });

  it('is written with its step, and not with a checkpoint of the steps before, which a resume raises it after', async () => {
    const { keeper, taken } = keeperOver();
    keeper.add(alert(1));
    await keeper.status('paused');
    await keeper.checkpoint({ step: 0 } as Checkpoint, false);
    expect(taken).toEqual(['is paused', 'checkpoint 0']);
    keeper.add(step(1));
    keeper.add(alert(1));
    await keeper.flush();
    expect(taken.slice(2)).toEqual(['step', 'alert', 'alert']);
  });

  it('is written where its step fails', async () => {
    const { keeper, taken } = keeperOver();
    keeper.add(alert(1));
    keeper.add({ type: 'failed', error: { code: 'rl/not-finite', message: '', nextStep: '' } });
    await keeper.flush();
    expect(taken).toEqual(['failed', 'alert']);
  });
});
