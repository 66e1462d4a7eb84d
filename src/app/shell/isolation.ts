/** Cross-origin isolation on hosts that send no headers for it: the service worker adds them from the second load on. */
import { browserStorage } from '../page/browser-storage';

/** Events of a visitor who has begun to use the page: a file can be dropped, and a field filled, without a press. */
const uses = ['pointerdown', 'keydown', 'click', 'input', 'drop'];
const triedKey = 'marble.isolation';

/**
 * Reloads a page that is not isolated, once in each tab, and only while it is unused: then no run has begun and nothing is
 * typed. A page that is not reloaded works without shared memory.
 *
 * @param isKept - resolves when the service worker answers the next load
 */
export async function reloadIsolated(isKept: Promise<void>): Promise<void> {
  let isUsed = false;
  for (const use of uses) addEventListener(use, () => (isUsed = true), { capture: true, once: true });
  await isKept;
  const storage = browserStorage('sessionStorage');
  if (globalThis.crossOriginIsolated || isUsed || storage.read(triedKey) !== null) return;
  storage.keep(triedKey, 'yes');
  if (storage.read(triedKey) !== null) location.reload(); // else it would reload for ever
}
