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

it('waits rarely for a device that has proved to be fast', () => {
  expect(waits(7, 16, () => 1)).toEqual([1, 2, 4, 8, 16, 16, 16]);
});

it('waits for a slow device about every quarter of a second', () => {
  expect(waits(5, 16, () => 60)).toEqual([1, 2, 4, 4, 4]);
  expect(waits(3, 16, () => 900)).toEqual([1, 1, 1]);
});

it('waits less often when the device becomes faster', () => {
  expect(waits(7, 16, (step) => (step <= 3 ? 400 : 10))).toEqual([1, 1, 1, 1, 2, 4, 8]);
});

it('does not mistake a browser that polls every 100 ms for a slow device', () => {
  expect(waits(7, 16, () => 1, 100)).toEqual([1, 2, 4, 8, 16, 16, 16]);
  expect(waits(5, 16, () => 60, 100)).toEqual([1, 2, 4, 5, 6]);
});
