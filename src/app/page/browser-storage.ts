import { ofDeployment } from '../../base/deployment';

/** The browser's own small storages. One that is refused keeps nothing, and one that is full nothing more: what is read is null then. */
export interface BrowserStorage {
  read: (key: string) => string | null;
  keep: (key: string, text: string) => void;
}

/** @param of - `sessionStorage`: this tab's alone */
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
