/** Lets the browser keep the page, once it stands and has nothing else to fetch. */
import { keepOffline } from '../session/worker-port';

/** Set by the build: the development server has no such worker. */
declare const MARBLE_KEEPS_OFFLINE: true | undefined;

/** A browser that cannot, or will not, goes without: the page works as long as there is a network. */
export function keepPageOffline(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined || typeof MARBLE_KEEPS_OFFLINE === 'undefined') return;
  const ask = (): void => void keepOffline(serviceWorker).catch(() => undefined);
  if (document.readyState === 'complete') ask();
  else addEventListener('load', ask, { once: true });
}
