/**
 * Caches the built page, the embedded models and the recordings, so that it starts and trains without a network. The weights
 * of the largest embedded models and the adapters are cached on first use. The weight cache holds models from elsewhere.
 *
 * A tab keeps the version that it began with: a new one is fetched beside it and waits until the last tab of the old one is
 * closed. So an update never reloads a tab that trains, and parts of the page that are fetched late fit the rest.
 *
 * Every response gets the headers that make the page cross-origin isolated, for hosts that cannot send them.
 *
 * The build inserts the version, the list of files and the headers (`scripts/build/offline-shell.ts`).
 */

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
  clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: Waited) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void;
}
declare const MARBLE_SHELL: {
  version: string;
  files: readonly string[];
  later: readonly string[];
  headers: Record<string, string>;
};

const scope = self as unknown as Scope;
const { version, files, later, headers: isolationHeaders } = MARBLE_SHELL;
const prefix = 'marble-shell-';
const cacheName = prefix + version;

const addressOf = (file: string): string => new URL(file, scope.registration.scope).href;
const addresses = new Set(files.map(addressOf));
const laterAddresses = new Set(later.map(addressOf));

/** Asked past the browser's own cache, in which a file without a hash in its name may be of an older version. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(cacheName);
  const requests = [...addresses].map((address) => new Request(address, { cache: 'no-cache' }));
  await cache.addAll(requests);
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function answer(request: Request, address: string): Promise<Response> {
  const kept = await (await caches.open(cacheName)).match(address);
  return kept ?? fetch(request);
}

/** Asked for whole, whatever part of it is wanted: parts cannot be kept. */
async function answerLater(address: string): Promise<Response> {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(address);
  if (kept !== undefined) return kept;
  const response = await fetch(address, { cache: 'no-cache' });
  if (response.ok) await cache.put(address, response.clone());
  return response;
}

/** Of a model that ships with the page all files are known: one that it has not got is asked for in vain. */
const missing = (): Response => new Response('', { status: 404 });

async function isolated(answered: Promise<Response>): Promise<Response> {
  const response = await answered;
  const { body, status, statusText } = response;
  if (status === 0) return response; // a redirect, which the browser follows itself
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(isolationHeaders)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}

scope.addEventListener('install', (event) => event.waitUntil(keepAll()));
scope.addEventListener('activate', (event) => {
  event.waitUntil(forgetOthers().then(() => scope.clients.claim()));
});
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const asked = new URL(request.url);
  asked.hash = asked.search = '';
  const address = asked.href === scope.registration.scope ? addressOf('index.html') : asked.href;
  if (request.method !== 'GET') return;
  const respond = (response: Promise<Response>): void => event.respondWith(isolated(response));
  if (addresses.has(address)) respond(answer(request, address));
  else if (laterAddresses.has(address)) respond(answerLater(address));
  else if (address.startsWith(addressOf('models/'))) respond(Promise.resolve(missing()));
});
