import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paced } from '../../../src/app/session/paced';
import type { WorkerEvent } from '../../../workers/protocol';

const progress = (step: number): WorkerEvent => ({ type: 'progress', phase: 'rollout', step, fraction: 0 });
const failed: WorkerEvent = { type: 'storage', error: { code: 'store/full', message: '', nextStep: '' } };

/** A paced receiver with the batches that it has handed on. Events are given by type and step. */
function listen(drawing: number): { receive: (event: WorkerEvent) => void; handedOn: string[][] } {
  const handedOn: string[][] = [];
  const receive = paced(
    (events) =>
      handedOn.push(events.map((event) => ('step' in event ? `${event.type} ${event.step}` : event.type))),
    () => new Promise((resolve) => setTimeout(resolve, drawing)),
  );
  return { receive, handedOn };
}

describe('events of a worker that is faster than the page', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['and three times as long again', 100, 400],
    ['and at least a quarter of a second', 5, 250],
  ])('wait together while the page draws, %s', async (_, drawing, pause) => {
    const { receive, handedOn } = listen(drawing);
    for (let step = 1; step <= 4; step += 1) receive(progress(step));
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(handedOn).toEqual([['progress 1']]);
    await vi.advanceTimersByTimeAsync(1);
    receive(progress(5));
    await vi.advanceTimersByTimeAsync(pause);
    expect(handedOn).toEqual([['progress 1'], ['progress 2', 'progress 3', 'progress 4'], ['progress 5']]);
  });

  it('wait for nothing where the page has drawn all before them', async () => {
    const { receive, handedOn } = listen(40);
    receive(progress(1));
    await vi.advanceTimersByTimeAsync(1000);
    receive(progress(2));
    expect(handedOn).toEqual([['progress 1'], ['progress 2']]);
  });

  it('go at once, in their order, with one that is no figure', async () => {
    const { receive, handedOn } = listen(40);
    for (let step = 1; step <= 3; step += 1) receive(progress(step));
    receive(failed);
    expect(handedOn).toEqual([['progress 1'], ['progress 2', 'progress 3', 'storage']]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(handedOn).toHaveLength(2);
  });
});
