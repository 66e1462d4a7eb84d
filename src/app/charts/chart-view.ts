/** How all charts of the page are looked at: they share one crosshair, and one stretch of steps. */
import { signal } from '@preact/signals';

/** The step that is pointed at, by mouse or by key; null where none is. */
export const crosshair = signal<number | null>(null);

/** The steps in sight; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Name of the run that somebody points at in a table: its line stands out. */
export const highlighted = signal<string | null>(null);

/** Runs of the arms of a sweep or a class, drawn as one line with a band for each arm. */
export const asArms = signal(true);
