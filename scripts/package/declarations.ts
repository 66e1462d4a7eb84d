/**
 * Writes the package's declarations into dist-package/types: `npm run build:types`. The compiler keeps import paths
 * without extensions, so they are added here for Node's resolution.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const types = join(root, 'dist-package', 'types');

rmSync(types, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(import.meta.dirname, 'tsconfig.json')],
  { stdio: 'inherit', cwd: root },
);
if (status !== 0) throw new Error('The declarations could not be made.');
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(types, name);
  const text = readFileSync(file, 'utf8');
  // The compiler writes an import of an index file as its folder.
  const named = text.replace(/(from '|import\(['"])(\.{1,2})(?=['"])/g, '$1$2/index');
  writeFileSync(file, named.replace(/(from '|import\(['"])(\.{1,2}\/[^'"]+)(?=['"])/g, '$1$2.js'));
}
