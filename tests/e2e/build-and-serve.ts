/** Builds the page once for all end-to-end tests and serves it as `npm start` does. */
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { serve } from '../../scripts/serve';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the page is, with a slash at the end. */
    address: string;
    /** The folder of the build. */
    folder: string;
  }
}

const root = join(import.meta.dirname, '..', '..');

export default async function buildAndServe(project: TestProject): Promise<() => Promise<void>> {
  const folder = join(root, 'node_modules', '.cache', 'e2e-build');
  await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const { server, address } = await serve(folder);
  project.provide('address', address);
  project.provide('folder', folder);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
