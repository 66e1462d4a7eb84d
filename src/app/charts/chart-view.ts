/** How all charts of the page are looked at: they share one stretch of steps, one scale and one cursor. */
import { signal } from '@preact/signals';
import type uPlot from 'uplot';

/** The steps in sight; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Values on a logarithmic axis, in charts whose values allow it. */
export const logarithmic = signal(false);

/** Name of the run that somebody points at in a table: its line stands out. */
export const highlighted = signal<string | null>(null);

export const plots = new Set<uPlot>();

const least = 2;

/** What is seen of a run of so many steps. */
export function inSight(steps: number): [number, number] {
  const chosen = zoom.value;
  const last = Math.max(1, steps);
  if (chosen === null || chosen[0] >= last) return [0, last];
  return [chosen[0], Math.min(last, chosen[1])];
}

/** @param factor - below 1 shows fewer steps; the middle stays unless an end of the run comes into sight */
export function zoomBy(factor: number, steps: number, around: number | null): void {
  const [from, to] = inSight(steps);
  const width = Math.max(least, (to - from) * factor);
  if (width >= steps) {
    zoom.value = null;
    return;
  }
  const middle = around !== null && around >= from && around <= to ? around : (from + to) / 2;
  const start = Math.min(Math.max(0, middle - width / 2), steps - width);
  zoom.value = [start, start + width];
}

export function moveCursors(step: number): void {
  for (const plot of plots) {
    plot.setCursor({ left: plot.valToPos(step, 'x'), top: plot.over.clientHeight / 2 });
  }
}
