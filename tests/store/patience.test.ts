import { expect, it } from 'vitest';
import { within } from '../../src/store/connection';

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Blocks the whole process, as sleep of the computer does. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('the timeout excludes sleep of the computer', async () => {
  const answer = within(400, async () => {
    await wait(30);
    sleep(1000);
    await wait(60);
    return 'answer';
  });
  expect(await answer).toBe('answer');
});
