import { render } from 'preact';
import { App } from './app';
import { createPage } from './page';
import { openWorkerPort } from './trainer-port';

const page = createPage(openWorkerPort, new URL('.', document.baseURI).href);
// Canvases keep the colours they were painted in, and a printed page is light.
addEventListener('beforeprint', () => document.documentElement.classList.add('printing'));
addEventListener('afterprint', () => document.documentElement.classList.remove('printing'));

render(<App page={page} />, document.getElementById('app')!);
