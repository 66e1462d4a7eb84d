/** Bundles a test page with Vite and serves it on localhost, a secure context with storage and locks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build, type Rolldown } from 'vite';

export interface PageServer {
  address: string;
  close(): Promise<void>;
}

async function bundle(entry: string): Promise<string> {
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
  return (result as Rolldown.RolldownOutput).output[0].code;
}

/** @param onTold receives every JSON message that the page posts to `/told` */
export async function servePage(
  entry: string,
  onTold: (message: Record<string, unknown>) => void = () => undefined,
): Promise<PageServer> {
  const script = await bundle(entry);
  const server = createServer((request, response) => {
    if (request.url === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(script);
    } else if (request.url === '/told') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        onTold(JSON.parse(body) as Record<string, unknown>);
        response.end();
      });
    } else {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>store</title><script type="module" src="/page.js"></script>');
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
