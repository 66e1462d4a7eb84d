/** How all charts of the page are looked at: they share one crosshair, and one stretch of steps. */
import { signal, type Signal } from '@preact/signals';

/** The step that is pointed at, by mouse or by key; null where none is. */
export const crosshair = signal<number | null>(null);

/** The steps in sight; null shows the whole run. */
export const zoom = signal<readonly [from: number, to: number] | null>(null);

/** Name of the run that somebody points at in a table: its line stands out. */
export const highlighted = signal<string | null>(null);

/** Runs of the arms of a sweep or a class, drawn as one line with a band for each arm. */
export const asArms = signal(true);

/** All lines are drawn, also those that somebody has hidden. */
export const showsAll = signal(false);

/** Shows every chart whole while `take` takes it away, and then again as somebody looked at it. */
export async function inWhole(take: () => void): Promise<void> {
  const set = <T>(one: Signal<T>, value: T): (() => void) => {
    const before = one.peek();
    one.value = value;
    return () => (one.value = before);
  };
  const looks = [
    set<number | null>(crosshair, null),
    set<typeof zoom.value>(zoom, null),
    set<string | null>(highlighted, null),
    set(asArms, true),
    set(showsAll, true),
  ];
  await new Promise((drawn) => setTimeout(drawn)); // after the page has drawn it
  take();
  for (const again of looks) again();
}
