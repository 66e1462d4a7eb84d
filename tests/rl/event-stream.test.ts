import { describe, expect, it } from 'vitest';
import { eventStream } from '../../src/rl/event-stream';

/** Counts to `end`, with one event each, and logs its progress. */
function counting(end: number, said: string[]): AsyncGenerator<number, void, void> {
  return eventStream(async (emit) => {
    try {
      for (let count = 1; count <= end; count++) {
        said.push(`does ${count}`);
        await emit(count);
      }
      throw new Error('has counted');
    } catch (thrown) {
      said.push((thrown as Error).message);
      await Promise.resolve();
      said.push('gave back');
      throw thrown;
    }
  });
}

describe('a stream of events', () => {
  it('starts with the first request, and suspends at each event until the next request', async () => {
    const said: string[] = [];
    const events = counting(3, said);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(said).toEqual([]);
    expect(await events.next()).toEqual({ done: false, value: 1 });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(said).toEqual(['does 1']);
    expect(await events.next()).toEqual({ done: false, value: 2 });
    expect(said).toEqual(['does 1', 'does 2']);
    await events.return();
  });

  it('throws what the work throws, after its last event', async () => {
    const events = counting(1, []);
    await events.next();
    await expect(events.next()).rejects.toThrow('has counted');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('waits for the work to release its resources when it is ended early', async () => {
    const said: string[] = [];
    for await (const count of counting(3, said)) if (count === 2) break;
    expect(said).toEqual(['does 1', 'does 2', 'Cancelled.', 'gave back']);
  });

  it('yields no events after its end', async () => {
    const reasons: unknown[] = [];
    const stubborn = eventStream<number>(async (emit) => {
      for (let count = 1; count <= 3; count++) {
        await emit(count).catch((reason: unknown) => reasons.push(reason));
      }
    });
    const taken: number[] = [];
    for await (const count of stubborn) {
      taken.push(count);
      break;
    }
    expect(taken).toEqual([1]);
    expect(reasons).toMatchObject([{ code: 'rl/ended' }, { code: 'rl/ended' }, { code: 'rl/ended' }]);
  });
});
