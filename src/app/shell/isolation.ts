/** Cross-origin isolation on hosts that do not send its headers. The service worker adds them from the second load on. */
import { browserStorage } from '../page/browser-storage';

/** Events of a visitor who uses the page. Files may be dropped and fields filled without a press. */
const uses = ['pointerdown', 'keydown', 'click', 'input', 'drop'];
const triedKey = 'marble.isolation';

/**
 * Reloads a page that is not isolated, once per tab. A page in use is not reloaded, since a run may have begun or text may
 * have been typed. A page that is not reloaded works without shared memory.
 *
 * @param isKept - resolves when the service worker is ready for the next load
 */
export async function reloadIsolated(isKept: Promise<void>): Promise<void> {
  let isUsed = false;
  for (const use of uses) addEventListener(use, () => (isUsed = true), { capture: true, once: true });
  await isKept;
  const storage = browserStorage('sessionStorage');
  if (globalThis.crossOriginIsolated || isUsed || storage.read(triedKey) !== null) return;
  storage.keep(triedKey, 'yes');
  if (storage.read(triedKey) !== null) location.reload(); // without storage it would reload in a loop
}
