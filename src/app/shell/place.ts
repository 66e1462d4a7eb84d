/** Where in the page one is: at the ladder, at a run, at the sweeps, at the data sets, at a class, at a run's report. The browser's back button goes between them. */
import { signal, type ReadonlySignal } from '@preact/signals';

export type Place =
  | { name: 'ladder' }
  | { name: 'run' }
  | { name: 'sweeps' }
  | { name: 'data' }
  | { name: 'class' }
  | { name: 'report'; id: string };

export interface Places {
  readonly place: ReadonlySignal<Place>;
  go(place: Place): void;
}

/** What stands with an entry of the browser's history; an address that somebody has opened has nothing. */
interface EntryState {
  marble?: Place;
  /** The page has written the address itself: nobody has sent it. */
  isOwn?: boolean;
}

const stateOf = (state: unknown): EntryState => (state as EntryState | null) ?? {};

/** Addresses that hold no settings: of the ladder, with its seed or without, and of a run that is still to be set. */
export const holdsSettings = (hash: string): boolean =>
  hash.length > 1 && hash !== '#run' && !hash.startsWith('#ladder=');

function placeFrom(state: unknown): Place {
  const { hash } = location;
  return stateOf(state).marble ?? { name: holdsSettings(hash) || hash === '#run' ? 'run' : 'ladder' };
}

export const isOwnAddress = (): boolean => stateOf(history.state).isOwn === true;

/** Puts settings into the address, in this place. */
export function replaceAddress(hash: string): void {
  history.replaceState({ ...stateOf(history.state), isOwn: true }, '', hash);
}

export function createPlaces(): Places {
  const place = signal<Place>(placeFrom(history.state));
  history.replaceState({ ...stateOf(history.state), marble: place.peek() }, '');
  addEventListener('popstate', (event) => (place.value = placeFrom(event.state)));
  return {
    place,
    go(next) {
      history.pushState({ ...stateOf(history.state), marble: next }, '');
      place.value = next;
      scrollTo(0, 0);
    },
  };
}
