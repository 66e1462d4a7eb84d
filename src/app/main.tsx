import { render } from 'preact';
import { toErrorReport } from '../base/error';
import { App, RunPlace } from './app';
import { followForm, readLink } from './link/link';
import { createPage } from './page/page';
import { openTrainer } from './session/worker-port';
import { keepOffline } from './shell/offline';

async function open(): Promise<void> {
  const page = createPage(openTrainer, new URL('.', document.baseURI).href);
  // A click that fetches a part, such as the code that writes a file, has no other handler.
  addEventListener('unhandledrejection', (event) => {
    const error = toErrorReport(event.reason);
    if (error.code !== 'app/part-missing') return;
    event.preventDefault();
    page.session.screen.value = error;
  });
  keepOffline().catch(() => undefined); // without it, the page still works with a network
  // Preloads the error screen, since the network may fail later.
  import('./shell/screens').catch(() => undefined);
  // The link is read before the first render, since its content would shift the layout.
  await readLink(location.hash, page);
  followForm(page);
  if (page.places.place.value.name === 'run') await RunPlace.ready();
  render(<App page={page} />, document.getElementById('app')!);
}

// Refuses to run in a frame, which would allow clickjacking. Servers that send the page's headers prevent frames
// themselves.
if (window.top === window.self) void open();
else void import('./shell/framed').then(({ Framed }) => render(<Framed />, document.getElementById('app')!));
