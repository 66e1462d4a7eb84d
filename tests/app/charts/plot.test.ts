import { expect, it } from 'vitest';
import { thinned } from '../../../src/app/charts/plot';

const points = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ step: index + 1, value: 0 }));

it.each([1, 60, 480, 481, 200_000])('draws few of %i points, and the last one always', (count) => {
  const drawn = thinned(points(count));
  expect(drawn.length).toBeLessThanOrEqual(480);
  expect(drawn.length).toBeGreaterThanOrEqual(Math.min(count, 240));
  expect(drawn.at(-1)?.step).toBe(count);
});
