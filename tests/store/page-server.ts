/** Bundles a test page with Vite and serves it on localhost, a secure context with storage and locks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { servePlainly, type PlainServer } from '../fixtures/servers/plain-server';

/** Serves a page that runs this script, with its style sheet, and the files in `public`. */
export async function servePage(entry: string): Promise<PlainServer> {
  const folder = mkdtempSync(join(tmpdir(), 'marble-page-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: resolve('public'),
    build: {
      outDir: folder,
      minify: false,
      modulePreload: false,
      chunkSizeWarningLimit: 8192,
      rolldownOptions: {
        input: entry,
        output: { codeSplitting: false, entryFileNames: 'page.js', assetFileNames: 'page[extname]' },
      },
      target: 'es2022',
    },
  });
  const head = '<link rel="stylesheet" href="page.css"><script type="module" src="page.js"></script>';
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>A test</title>${head}`);
  const server = await servePlainly(folder);
  return {
    ...server,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
