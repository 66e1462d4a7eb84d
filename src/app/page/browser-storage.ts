import { ofDeployment } from '../../base/deployment';

/**
 * Web storage that never throws: failed reads return null, failed writes are dropped.
 *
 * @param of - `sessionStorage` is limited to this tab
 */
export function browserStorage(of: 'localStorage' | 'sessionStorage' = 'localStorage') {
  const attempt = <T>(use: (storage: Storage) => T): T | null => {
    try {
      return use(globalThis[of]);
    } catch {
      return null;
    }
  };
  return {
    read: (key: string) => attempt((storage) => storage.getItem(ofDeployment(key))),
    keep: (key: string, text: string) => void attempt((storage) => storage.setItem(ofDeployment(key), text)),
  };
}
