import { expect, it } from 'vitest';
import { createPace } from '../../src/model/decoding/decoder';

/** Steps between waits for a device that needs `perStep(total steps so far)` milliseconds per step. */
function waits(count: number, most: number, perStep: (step: number) => number, pollMs = 1): number[] {
  let time = 0;
  let steps = 0;
  const pace = createPace(most, pollMs === 1 ? 0 : pollMs, () => time);
  return Array.from({ length: count }, () => {
    let sent = 0;
    do {
      sent += 1;
      time += perStep(++steps);
    } while (!pace.step());
    time = Math.ceil(time / pollMs) * pollMs;
    pace.waited();
    return sent;
  });
}

it.each<[string, number[], (step: number) => number, number?]>([
  ['rarely for a device that has proved to be fast', [1, 2, 4, 8, 16, 16, 16], () => 1],
  ['for a slow device about every quarter of a second', [1, 2, 4, 4, 4], () => 60],
  ['for the slowest after each step', [1, 1, 1], () => 900],
  ['less often when the device becomes faster', [1, 1, 1, 1, 2, 4, 8], (step) => (step <= 3 ? 400 : 10)],
  ['no more for a browser that polls every 100 ms', [1, 2, 4, 8, 16, 16, 16], () => 1, 100],
  ['for a slow device in such a browser', [1, 2, 4, 5, 6], () => 60, 100],
])('waits %s', (_, steps, perStep, pollMs) => {
  expect(waits(steps.length, 16, perStep, pollMs)).toEqual(steps);
});
