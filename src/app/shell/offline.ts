/**
 * Use without a network, and cross-origin isolation on hosts that do not send its headers. The service worker answers with
 * both from the second load on.
 */
import { browserStorage } from '../page/browser-storage';
import { addressOf } from '../session/worker-port';

/** Set by the build. The development server has no service worker. */
declare const MARBLE_KEEPS_OFFLINE: true | undefined;

/** Events of a visitor who uses the page. Files may be dropped and fields filled without a press. */
const uses = ['pointerdown', 'keydown', 'click', 'input', 'drop'];
const triedKey = 'marble.isolation';

/**
 * Lets the service worker cache the page, once it has loaded. Then reloads a page that is not isolated, once per tab. A page
 * in use is not reloaded, since a run may have begun or text may have been typed. It works without shared memory.
 */
export async function keepOffline(): Promise<void> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined || typeof MARBLE_KEEPS_OFFLINE === 'undefined') return;
  let isUsed = false;
  for (const use of uses) addEventListener(use, () => (isUsed = true), { capture: true, once: true });
  await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  await serviceWorker.register(addressOf('offline'));
  await serviceWorker.ready;
  const storage = browserStorage('sessionStorage');
  if (globalThis.crossOriginIsolated || isUsed || storage.read(triedKey) !== null) return;
  storage.keep(triedKey, 'yes');
  if (storage.read(triedKey) !== null) location.reload(); // without storage it would reload in a loop
}
