/** Builds the page once for all end-to-end tests and serves it like `npm start`. */
import { join } from 'node:path';
import { build, preview, type Plugin, type PreviewServer } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the page, with a trailing slash. */
    address: string;
    /** Folder of the build. */
    folder: string;
  }
}

export const root = join(import.meta.dirname, '..', '..', '..');

/** Without compression, which takes longer than the files on one machine. */
const uncompressed: Plugin = {
  name: 'uncompressed',
  configurePreviewServer: ({ middlewares }) =>
    void middlewares.use((request, _, next) => {
      delete request.headers['accept-encoding'];
      next();
    }),
};

/** @returns the server, and its address with a trailing slash */
export async function serveBuild(folder: string): Promise<{ server: PreviewServer; address: string }> {
  const server = await preview({
    root,
    logLevel: 'error',
    plugins: [uncompressed],
    build: { outDir: folder },
    preview: { port: 0, open: false },
  });
  return { server, address: server.resolvedUrls!.local[0] };
}

export default async function buildAndServe(project: TestProject): Promise<() => Promise<void>> {
  const folder = join(root, 'node_modules', '.cache', 'e2e-build');
  await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const { server, address } = await serveBuild(folder);
  project.provide('address', address);
  project.provide('folder', folder);
  return () => server.close();
}
