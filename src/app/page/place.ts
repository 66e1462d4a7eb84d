/** Where in the page one is: at the ladder, at a run, at the sweeps, at the data sets, at a class, at a run's report, at the reason for how it ended. The browser's back button goes between them. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { browserStorage } from './browser-storage';

export type Place =
  | { name: 'ladder' }
  | { name: 'run'; tab?: string }
  | { name: 'sweeps' }
  | { name: 'data' }
  | { name: 'class' }
  | { name: 'report' | 'why'; id: string };

export type Places = ReturnType<typeof createPlaces>;

/** What stands with an entry of the browser's history; an address that somebody has opened has nothing. */
interface EntryState {
  marble?: Place;
}

const stateOf = (state: unknown): EntryState => (state as EntryState | null) ?? {};

/** Addresses that hold no settings: of the ladder, with its seed or without, and of a run that is still to be set. */
export const holdsSettings = (hash: string): boolean =>
  hash.length > 1 && hash !== '#run' && !hash.startsWith('#ladder=');

function placeFrom(state: unknown): Place {
  const { hash } = location;
  return stateOf(state).marble ?? { name: holdsSettings(hash) || hash === '#run' ? 'run' : 'ladder' };
}

/** What the page has written into the address last: a history entry's state goes when its address is entered once more. */
const ownKey = 'marble.address';
const ownStorage = browserStorage('sessionStorage');

/** Whether the page has written the address itself, in this tab: nobody has sent it. */
export function isOwnAddress(): boolean {
  return ownStorage.read(ownKey) === location.hash;
}

export function replaceAddress(hash: string): void {
  history.replaceState(history.state, '', hash);
  ownStorage.keep(ownKey, location.hash); // where it is not kept it is taken for a link after a reload
}

export function createPlaces() {
  const place = signal<Place>(placeFrom(history.state));
  history.replaceState({ ...stateOf(history.state), marble: place.peek() }, '');
  addEventListener('popstate', (event) => (place.value = placeFrom(event.state)));
  return {
    place: place as ReadonlySignal<Place>,
    go(next: Place): void {
      history.pushState({ ...stateOf(history.state), marble: next }, '');
      place.value = next;
      scrollTo(0, 0);
    },
  };
}
