import { afterEach, expect, it, vi } from 'vitest';
import { browserStorage } from '../../../src/app/page/browser-storage';

afterEach(() => vi.unstubAllGlobals());

it('a storage that is refused, or full, keeps nothing and stops nothing', () => {
  const refused = (): never => {
    throw new DOMException('', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refused, setItem: refused });
  vi.stubGlobal('sessionStorage', undefined);
  for (const storage of [browserStorage(), browserStorage('sessionStorage')]) {
    storage.keep('key', 'text');
    expect(storage.read('key')).toBeNull();
  }
});
