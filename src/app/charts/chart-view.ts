/** How all charts of the page are looked at: they share one cursor, and one stretch of steps. */
import { signal } from '@preact/signals';

/** The step that is pointed at, by mouse or by key; null where none is. */
export const crosshair = signal<number | null>(null);

/** The steps in sight; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Name of the run that somebody points at in a table: its line stands out. */
export const highlighted = signal<string | null>(null);

/** Runs of the arms of a sweep or a class, drawn as one line with a band for each arm. */
export const asArms = signal(true);

/** Steps that are in sight at least. */
const least = 2;

/** What is seen of a run of so many steps. */
export function inSight(steps: number): [from: number, to: number] {
  const chosen = zoom.value;
  const last = Math.max(1, steps);
  if (chosen === null || chosen[0] >= last) return [0, last];
  return [chosen[0], Math.min(last, chosen[1])];
}

/** @param factor - below 1 shows fewer steps; the middle stays unless an end of the run comes into sight */
export function zoomBy(factor: number, steps: number): void {
  const [from, to] = inSight(steps);
  const width = Math.max(least, (to - from) * factor);
  const start = Math.min(Math.max(0, (from + to - width) / 2), steps - width);
  zoom.value = width >= steps ? null : [start, start + width];
}

/** `step 7` where somebody points, else the stretch that is zoomed to; empty for the whole run. */
export function sightWords(at: number | null): string {
  if (at !== null) return `step ${at}`;
  return zoom.value === null ? '' : `steps ${zoom.value.map(Math.round).join(' to ')}`;
}
