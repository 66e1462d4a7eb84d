/** View state shared by all charts of the page: cursor and zoom. */
import { signal } from '@preact/signals';

/** Step under the cursor, set by mouse or keyboard; null without a cursor. */
export const crosshair = signal<number | null>(null);

/** Visible range of steps; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Visible range of a run with `steps` steps. */
export function inSight(steps: number): [from: number, to: number] {
  const [from, to] = zoom.value ?? [0, Infinity];
  const last = Math.max(1, steps);
  return from >= last ? [0, last] : [from, Math.min(last, to)];
}

/** Halves the visible range around the cursor, or around its middle if the cursor is not in sight. */
export function zoomIn(steps: number): void {
  const [low, high] = inSight(steps);
  const at = crosshair.value;
  const middle = at === null || at < low || at > high ? (low + high) / 2 : at;
  const reach = Math.max(1, (high - low) / 4);
  zoom.value = [Math.max(low, middle - reach), Math.min(high, middle + reach)];
}
