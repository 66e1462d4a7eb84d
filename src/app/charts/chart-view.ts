/** How all charts of the page are looked at: they share one crosshair, one stretch of steps and one scale. */
import { signal } from '@preact/signals';

/** The step that is pointed at, by mouse or by key; null where none is. */
export const crosshair = signal<number | null>(null);

/** The steps in sight; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Values on a logarithmic axis, in charts whose values allow it. */
export const logarithmic = signal(false);

/** Name of the run that somebody points at in a table: its line stands out. */
export const highlighted = signal<string | null>(null);
