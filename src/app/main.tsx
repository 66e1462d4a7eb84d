import { render } from 'preact';
import { App, RunPlace } from './app';
import { followForm, readLink } from './link/link';
import { createPage } from './page/page';
import { keepOffline, openTrainer } from './session/worker-port';
import { reloadIsolated } from './shell/isolation';

function open(): void {
  const page = createPage(openTrainer, new URL('.', document.baseURI).href);
  const isRead = readLink(location.hash, page);
  followForm(page);

  // A link is read before anything is painted: what it brings would push the rest down.
  void isRead
    .then(() => (page.places.place.value.name === 'run' ? RunPlace.ready() : undefined))
    .then(() => render(<App page={page} />, document.getElementById('app')!));
  keepPageOffline();
  // What an error is told by is here before the network may be gone.
  import('./shell/screens').catch(() => undefined);
}

/** Set by the build: the development server has no such worker. */
declare const MARBLE_KEEPS_OFFLINE: true | undefined;

/**
 * Lets the browser keep the page, once it stands and has nothing else to fetch. One that cannot, or will not, goes without:
 * the page works as long as there is a network.
 */
function keepPageOffline(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined || typeof MARBLE_KEEPS_OFFLINE === 'undefined') return;
  const isKept = loaded().then(() => keepOffline(serviceWorker));
  reloadIsolated(isKept).catch(() => undefined);
}

function loaded(): Promise<void> {
  if (document.readyState === 'complete') return Promise.resolve();
  return new Promise((resolve) => addEventListener('load', () => resolve(), { once: true }));
}

// Who frames the page could lead a visitor's clicks. Servers that send its headers refuse that themselves.
if (window.top === window.self) open();
else void import('./shell/framed').then(({ Framed }) => render(<Framed />, document.getElementById('app')!));
