import { render } from 'preact';
import { App, createPage } from './app';
import { openWorkerPort } from './trainer-port';

const page = createPage(openWorkerPort, new URL('.', document.baseURI).href);
render(<App page={page} />, document.getElementById('app')!);
