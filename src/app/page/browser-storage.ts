import { ofDeployment } from '../../base/deployment';

/** Web storage that never throws: failed reads return null, failed writes are dropped. */
export interface BrowserStorage {
  read: (key: string) => string | null;
  keep: (key: string, text: string) => void;
}

/** @param of - `sessionStorage` is limited to this tab */
export function browserStorage(of: 'localStorage' | 'sessionStorage' = 'localStorage'): BrowserStorage {
  const attempt = <T>(use: (storage: Storage) => T): T | null => {
    try {
      return use(globalThis[of]);
    } catch {
      return null;
    }
  };
  return {
    read: (key) => attempt((storage) => storage.getItem(ofDeployment(key))),
    keep: (key, text) => void attempt((storage) => storage.setItem(ofDeployment(key), text)),
  };
}
