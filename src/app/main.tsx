import { render } from 'preact';
import { toErrorReport } from '../base/error';
import { App, RunPlace } from './app';
import { followForm, readLink } from './link/link';
import { createPage } from './page/page';
import { keepOffline, openTrainer } from './session/worker-port';
import { reloadIsolated } from './shell/isolation';
import { refuseLongPastes } from './ui/long-paste';

function open(): void {
  const page = createPage(openTrainer, new URL('.', document.baseURI).href);
  const isRead = readLink(location.hash, page);
  followForm(page);
  refuseLongPastes(document);

  // The link is read before the first render, since its content would shift the layout.
  void isRead
    .then(() => (page.places.place.value.name === 'run' ? RunPlace.ready() : undefined))
    .then(() => render(<App page={page} />, document.getElementById('app')!));
  // A click that fetches a part, such as the code that writes a file, has no other handler.
  addEventListener('unhandledrejection', (event) => {
    const error = toErrorReport(event.reason);
    if (error.code !== 'app/part-missing') return;
    event.preventDefault();
    page.session.screen.value = error;
  });
  keepPageOffline();
  // Preloads the error screen, since the network may fail later.
  import('./shell/screens').catch(() => undefined);
}

/** Set by the build. The development server has no service worker. */
declare const MARBLE_KEEPS_OFFLINE: true | undefined;

/** Lets the service worker cache the page, once it has loaded. If this fails, the page still works with a network. */
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

// Refuses to run in a frame, which would allow clickjacking. Servers that send the page's headers prevent frames
// themselves.
if (window.top === window.self) open();
else void import('./shell/framed').then(({ Framed }) => render(<Framed />, document.getElementById('app')!));
