/** The store, opened by whoever asks for it first. */
import { openStore, type Store } from '../src/store/store';

/** @returns what opens the store once; where that failed, the next call tries again */
export function storeOnDemand(): () => Promise<Store> {
  let store: Promise<Store> | null = null;
  return () => {
    if (store === null) {
      store = openStore();
      store.catch(() => (store = null));
    }
    return store;
  };
}
