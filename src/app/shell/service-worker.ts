/**
 * Caches the built page, the embedded models and the recordings, for use without a network. The weights of the largest
 * embedded models and the adapters are cached on first use. The weight cache holds models from elsewhere.
 *
 * A tab keeps the version that it began with. A new version is fetched separately and waits until the last tab of the old
 * one is closed. An update therefore never reloads a tab that trains, and chunks that load late match the rest of the page.
 *
 * Every response gets the headers for cross-origin isolation, for hosts that cannot send them.
 *
 * The build inserts the version, the hashes of the files and the headers (`scripts/build/offline-shell.ts`).
 */
import { createShellCache, type Shell } from '../../base/shell-cache';

/** Types of the service worker that are used here. TypeScript keeps them apart from the page's. */
interface ShellEvent extends Event {
  /** Only of the event `fetch`, like `respondWith`. */
  request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  registration: { scope: string };
  caches: CacheStorage;
  clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate' | 'fetch', listener: (event: ShellEvent) => void): void;
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
