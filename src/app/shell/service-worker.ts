/**
 * Caches the built page, the embedded models and the recordings, so that it starts and trains without a network. The weights
 * of the largest embedded models and the adapters are cached on first use. The weight cache holds models from elsewhere.
 *
 * A tab keeps the version that it began with: a new one is fetched beside it and waits until the last tab of the old one is
 * closed. So an update never reloads a tab that trains, and parts of the page that are fetched late fit the rest.
 *
 * Every response gets the headers that make the page cross-origin isolated, for hosts that cannot send them.
 *
 * The build inserts the version, the hashes of the files and the headers (`scripts/build/offline-shell.ts`).
 */
import { createShellCache, type Shell } from '../../base/shell-cache';

/** What is used here of the service worker's types, which TypeScript keeps apart from the page's. */
interface Waited extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetched extends Waited {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  registration: { scope: string };
  caches: CacheStorage;
  clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: Waited) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void;
}
declare const MARBLE_SHELL: Shell;

const scope = self as unknown as Scope;
const shell = createShellCache(MARBLE_SHELL, {
  scope: scope.registration.scope,
  caches: scope.caches,
  fetch: (...request) => fetch(...request),
});

scope.addEventListener('install', (event) => event.waitUntil(shell.install()));
scope.addEventListener('activate', (event) => {
  event.waitUntil(shell.deleteOthers().then(() => scope.clients.claim()));
});
scope.addEventListener('fetch', (event) => {
  const answer = shell.answer(event.request, (work) => event.waitUntil(work));
  if (answer !== null) event.respondWith(answer);
});
