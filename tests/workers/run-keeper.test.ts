import { describe, expect, it } from 'vitest';
import { MarbleError, type ErrorCode } from '../../src/base/error';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { RunStatus } from '../../src/run/record/run-record';
import type { Store } from '../../src/store/store';
import { createRunKeeper } from '../../workers/run-keeper';

/** A keeper over a store that records its calls, and refuses those for which `refuse` returns a code. */
function keeperOver() {
  let open = 0;
  const storage = {
    asked: [] as string[],
    taken: [] as string[],
    /** Most calls that were pending at once. */
    most: 0,
    refuse: empty as (call: string) => ErrorCode | null,
  };
  const call = async (name: string): Promise<void> => {
    open += 1;
    storage.most = Math.max(storage.most, open);
    storage.asked.push(name);
    await new Promise((resolve) => setTimeout(resolve));
    open -= 1;
    const code = storage.refuse(name);
    if (code !== null) throw new MarbleError(code, 'no room', 'make some');
    storage.taken.push(name);
  };
  const store = {
    appendEvents: (_: string, events: readonly TrainerEvent[]) =>
      call(events.map(({ type }) => type).join(' ') || 'nothing'),
    saveCheckpoint: (_: string, { step }: Checkpoint) => call(`checkpoint ${step}`),
    updateRun: (_: string, { status }: { status: RunStatus }) => call(`is ${status}`),
  } as unknown as Store;
  const told: string[] = [];
  return { keeper: createRunKeeper(store, 'run', ({ code }) => told.push(code)), storage, told };
}

const full = (): ErrorCode => 'store/full';
const empty = (): null => null;

const step = (number: number): TrainerEvent => ({ type: 'step', record: { step: number } });
const rollouts: TrainerEvent = { type: 'rollouts', step: 1, rollouts: [] };
const checkpoint = (number: number): Checkpoint => ({ step: number }) as Checkpoint;

it('writes one thing after another, and counts the seconds', async () => {
  const { keeper, storage } = keeperOver();
  keeper.add(step(1));
  const first = keeper.flush();
  keeper.add(step(2));
  await Promise.all([first, keeper.flush(), keeper.checkpoint(checkpoint(2))]);
  expect([storage.taken, storage.most]).toEqual([['step step', 'checkpoint 2'], 1]);
  const seconds = keeper.secondsSince();
  expect([seconds > 0 && seconds < 9, keeper.secondsSince()]).toEqual([true, 0]);
});

describe('the status of a run', () => {
  it('is written with the next thing that the storage takes after a refusal, which is told once', async () => {
    const { keeper, storage, told } = keeperOver();
    storage.refuse = full;
    await keeper.status('stopped');
    await keeper.flush();
    keeper.add(rollouts);
    storage.refuse = empty;
    await keeper.settle();
    await keeper.settle();
    expect([storage.taken, told]).toEqual([['rollouts', 'is stopped'], ['store/full']]);
  });

  it('is the last one: an earlier one does not come after it', async () => {
    const { keeper, storage } = keeperOver();
    storage.refuse = full;
    await keeper.status('paused');
    await keeper.status('running');
    storage.refuse = empty;
    await keeper.checkpoint(checkpoint(2));
    expect(storage.taken.splice(0)).toEqual(['checkpoint 2', 'is running']);

    storage.refuse = full;
    await keeper.status('paused');
    keeper.add(step(3));
    storage.refuse = empty;
    await keeper.flush();
    expect(storage.taken.splice(0)).toEqual(['step']);

    const later: Promise<void>[] = [];
    storage.refuse = (call) => {
      if (call === 'is paused') later.push(keeper.status('running')); // while the earlier one is written
      return null;
    };
    await keeper.status('paused');
    await Promise.all(later);
    expect(storage.taken).toEqual(['is paused', 'is running']);
  });

  it('is no part of whether a checkpoint is kept', async () => {
    const { keeper, storage } = keeperOver();
    storage.refuse = (call) => (call.startsWith('is') ? 'store/full' : null);
    await keeper.status('running');
    expect([await keeper.checkpoint(checkpoint(2)), keeper.holdsAll()]).toEqual([true, false]);
  });

  it('is not written for a run that was deleted', async () => {
    const { keeper, storage, told } = keeperOver();
    storage.refuse = () => 'store/no-run';
    await keeper.status('stopped');
    await keeper.settle();
    expect([storage.asked, told]).toEqual([['is stopped'], ['store/no-run']]);
  });
});

it('an alert of an unfinished step is written with its step or failure, since a resume raises it again', async () => {
  const alert = (number: number): TrainerEvent => ({
    type: 'alert',
    alert: { step: number, code: 'rl/no-signal', severity: 'error', cause: '', nextStep: '' },
  });
  const { keeper, storage } = keeperOver();
  keeper.add(alert(1));
  keeper.add(rollouts);
  await keeper.status('paused');
  await keeper.checkpoint(checkpoint(0));
  expect(storage.taken.splice(0)).toEqual(['rollouts', 'is paused', 'checkpoint 0']);
  keeper.add(step(1));
  keeper.add(alert(1));
  keeper.add(alert(2));
  await keeper.flush();
  keeper.add({ type: 'failed', error: { code: 'rl/not-finite', message: '', nextStep: '' } });
  await keeper.flush();
  expect(storage.taken).toEqual(['step alert alert', 'failed alert']);
});
