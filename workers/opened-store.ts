/** Opens the store on first use. */
import { openStore, type Store } from '../src/store/store';

/** @returns a function that opens the store once, and retries on the next call if opening failed */
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
