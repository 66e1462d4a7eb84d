/** Where in the page one is: at a run, at the sweeps, at the data sets, at a class, at a run's report. The browser's back button goes between them. */
import { signal, type ReadonlySignal } from '@preact/signals';

export type Place =
  | { name: 'run' }
  | { name: 'sweeps' }
  | { name: 'data' }
  | { name: 'class' }
  | { name: 'report'; id: string };

export interface Places {
  readonly place: ReadonlySignal<Place>;
  go(place: Place): void;
}

function placeFrom(state: unknown): Place {
  const named = (state as { marble?: Place } | null)?.marble;
  return named ?? { name: 'run' };
}

export function createPlaces(): Places {
  const place = signal<Place>(placeFrom(history.state));
  addEventListener('popstate', (event) => (place.value = placeFrom(event.state)));
  return {
    place,
    go(next) {
      history.pushState({ marble: next }, '');
      place.value = next;
      scrollTo(0, 0);
    },
  };
}
