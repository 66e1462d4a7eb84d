import { expect, it } from 'vitest';
import { within } from '../../src/store/patience';

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Nothing of this process goes on meanwhile, as when the computer sleeps. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('patience is of the time awake: an answer that comes after a sleep is in time', async () => {
  const answer = within(400, async () => {
    await wait(30);
    sleep(1000);
    await wait(60);
    return 'answer';
  });
  expect(await answer).toBe('answer');
});

it('patience ends, and whoever works on is told', async () => {
  let told = false;
  const work = within(100, (signal) => new Promise<never>(() => signal.addEventListener('abort', () => (told = true)))); // prettier-ignore
  await expect(work).rejects.toMatchObject({ code: 'store/unavailable' });
  expect(told).toBe(true);
});
