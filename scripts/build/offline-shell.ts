/**
 * The last step of a build: gives the service worker its headers, a version, and the files to cache at install and on
 * demand, each with its hash.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'vite';
import type { Shell } from '../../src/base/shell-cache';
import { isolationHeaders } from './content-security-policy';

const workerFile = 'service-worker.js';

/** Excludes the host's own file and the texts. */
const isBeside = (file: string): boolean =>
  file === workerFile ||
  /^(_headers|licenses|docs\/|.*\.map$|(models|adapters)\/.*\.md$)/.test(file) ||
  /licenses-.*\.md$/.test(file);

/**
 * Larger weights and all adapters are cached on first use, because a class opens the page on every laptop of a room.
 */
const largestAtOnce = 300_000;

const isLater = (dir: string, file: string): boolean =>
  file.startsWith('adapters/') ||
  (file.startsWith('models/') && statSync(join(dir, file)).size > largestAtOnce);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !isBeside(file))
    .sort();
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The worker must be at the root of the build, otherwise its scope would not include the page. */
export const offlineShell: Plugin = {
  name: 'marble-offline-shell',
  apply: 'build',
  config: () => ({ define: { MARBLE_KEEPS_OFFLINE: 'true' } }),
  buildStart() {
    this.emitFile({
      type: 'chunk',
      id: join(import.meta.dirname, '..', '..', 'src', 'app', 'shell', 'service-worker.ts'),
      fileName: workerFile,
    });
  },
  writeBundle({ dir = 'dist' }) {
    const all = filesBelow(dir).map((file) => [file, sha256(readFileSync(join(dir, file)))] as const);
    const shell = JSON.stringify({
      version: sha256(JSON.stringify(all)).slice(0, 16),
      files: Object.fromEntries(all.filter(([file]) => !isLater(dir, file))),
      later: Object.fromEntries(all.filter(([file]) => isLater(dir, file))),
      headers: isolationHeaders,
    } satisfies Shell);
    const place = join(dir, workerFile);
    const code = readFileSync(place, 'utf8');
    if (!code.includes('MARBLE_SHELL')) throw new Error(`${workerFile} has no placeholder MARBLE_SHELL.`);
    // The page registers it as a classic script.
    if (/^import\b/m.test(code)) throw new Error(`${workerFile} imports a chunk.`);
    writeFileSync(
      place,
      code.replaceAll('MARBLE_SHELL', () => shell),
    );
  },
};
