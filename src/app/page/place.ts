/** The visitor's place in the page, stored in the browser's history. The back button returns to the previous place. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { readLadder } from '../../share/ladder-seed';
import { browserStorage } from './browser-storage';

export type Place = { name: 'run'; tab?: string } | { name: 'ladder' | 'sweeps' | 'data' | 'class' };

export type Places = ReturnType<typeof createPlaces>;

/** State of a history entry. An address that was typed or followed has none. */
const stateOf = (state: unknown): { marble?: Place } => state ?? {};

/**
 * True if an address holds settings. The addresses of the ladder (empty or `#ladder=SEED`) and `#run` hold none. One with
 * an invalid seed does, so it is refused like any invalid link.
 */
export const holdsSettings = (hash: string): boolean =>
  hash.length > 1 && hash !== '#run' && !(hash.startsWith('#ladder=') && readLadder(hash) !== null);

function placeFrom(state: unknown): Place {
  const { hash } = location;
  return stateOf(state).marble ?? { name: holdsSettings(hash) || hash === '#run' ? 'run' : 'ladder' };
}

/** Storage key of the last address that the page wrote. Entering an address again clears the state of its entry. */
const ownKey = 'marble.address';
const ownStorage = browserStorage('sessionStorage');

/** True if the page itself wrote the address in this tab, which is then not a received link. */
export const isOwnAddress = (): boolean => ownStorage.read(ownKey) === location.hash;

export function replaceAddress(hash: string): void {
  history.replaceState(history.state, '', hash);
  ownStorage.keep(ownKey, location.hash); // without storage, a reload treats the address as a received link
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
