import { expect, it } from 'vitest';
import { crosshair, inSight, zoom, zoomIn } from '../../../src/app/charts/chart-view';

it.each([
  ['around the middle without a cursor', null, null, 1, [25, 75]],
  ['around the cursor', null, 70, 1, [45, 95]],
  ['to one step at an end', null, 100, 12, [99, 100]],
  ['around the middle if the cursor has left the visible steps', [50, 60], 0, 1, [52.5, 57.5]],
] as const)('zooms in %s', (_, from, cursor, times, expected) => {
  [zoom.value, crosshair.value] = [from, cursor];
  for (let time = 0; time < times; time++) zoomIn(100);
  expect(inSight(100)).toEqual(expected);
  zoom.value = crosshair.value = null;
});
