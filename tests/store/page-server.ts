/** Bundles a test page with Vite and serves it on localhost, a secure context with storage and locks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build, type Rolldown } from 'vite';

export interface PageServer {
  address: string;
  close(): Promise<void>;
}

/** @returns the script and the style sheet of the page, which is empty without any */
async function bundle(entry: string): Promise<[script: string, style: string]> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: entry, output: { format: 'es', codeSplitting: false } },
      target: 'es2022',
    },
  });
  const [script, ...assets] = (result as Rolldown.RolldownOutput).output;
  const style = assets.find(({ fileName }) => fileName.endsWith('.css'));
  return [script.code, style?.type === 'asset' ? style.source.toString() : ''];
}

export async function servePage(entry: string): Promise<PageServer> {
  const [script, style] = await bundle(entry);
  const server = createServer((request, response) => {
    if (request.url === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(script);
    } else if (request.url === '/page.css') {
      response.setHeader('content-type', 'text/css').end(style);
    } else {
      response.setHeader('content-type', 'text/html');
      response.end(
        '<!doctype html><title>store</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script>',
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
