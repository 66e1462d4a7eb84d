import { render } from 'preact';
import { App } from './app';
import { createPage } from './page';
import { openWorkerPort } from './trainer-port';

const page = createPage(openWorkerPort, new URL('.', document.baseURI).href);
render(<App page={page} />, document.getElementById('app')!);
