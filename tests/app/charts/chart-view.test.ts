import { afterEach, expect, it } from 'vitest';
import { crosshair, inSight, zoom, zoomIn } from '../../../src/app/charts/chart-view';

afterEach(() => {
  crosshair.value = null;
  zoom.value = null;
});

it('zooms in around the cursor, and around the middle without one', () => {
  zoomIn(100);
  expect(inSight(100)).toEqual([25, 75]);
  crosshair.value = 70;
  zoomIn(100);
  expect(inSight(100)).toEqual([57.5, 75]);
});

it('shows at least two steps, and one at an end', () => {
  crosshair.value = 100;
  for (let times = 0; times < 12; times++) zoomIn(100);
  expect(inSight(100)).toEqual([99, 100]);
});

it('zooms in around the middle where the cursor has left the visible steps', () => {
  zoom.value = [50, 60];
  crosshair.value = 0; // as after the key Home
  zoomIn(100);
  expect(inSight(100)).toEqual([52.5, 57.5]);
});
