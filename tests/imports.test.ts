/**
 * Rules for imports. There are no import cycles, types included. A room imports only from the rooms that `rooms` lists
 * for it, also by `import('…')`. Folders of the page import in one direction only. docs/architecture.md describes the
 * rooms. All rooms may import `src/base`, which imports nothing. Folders and files have a largest size.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsBelow, importsOf, roomOf, root, type Imports } from '../scripts/imports';

const library = [
  ...['tom', 'reward', 'gpu', 'ops', 'model', 'objective', 'run', 'rl', 'plan', 'store', 'share', 'export'],
];

/** From which others a room may import, and from which types alone. */
const rooms: Record<string, { values?: string[]; types?: string[] }> = {
  base: {},
  tom: {},
  reward: { values: ['tom'] },
  gpu: {},
  ops: { values: ['gpu'] },
  model: { values: ['gpu', 'ops'] },
  objective: {},
  run: { values: ['tom', 'reward', 'objective'], types: ['model'] },
  rl: { values: ['tom', 'reward', 'objective', 'run'], types: ['model'] },
  store: { values: ['run'], types: ['tom', 'gpu', 'ops', 'model'] },
  plan: { values: ['tom', 'gpu', 'ops', 'model', 'rl', 'run'] },
  share: { values: ['run'], types: ['reward', 'rl'] },
  export: { values: ['model', 'run', 'share'] },
  command: {
    values: ['tom', 'reward', 'gpu', 'model', 'objective', 'run', 'rl', 'share', 'export', 'index'],
  },
  workers: {
    values: ['tom', 'gpu', 'model', 'objective', 'run', 'store', 'share', 'export', 'index'],
    types: ['ops', 'rl'],
  },
  index: { values: library },
  runs: { values: ['run', 'objective', 'store', 'share'] },
  scripts: { values: [...library, 'command', 'workers', 'index', 'runs', 'tests'] },
  app: { values: ['tom', 'objective', 'run', 'share', 'workers'], types: ['reward', 'store'] },
};

/** The folders of `src/app`. A folder imports only from those before it. Files outside the folders import from all. */
const appFolders = [
  ...['session', 'ui', 'words', 'charts', 'story', 'update', 'verdict', 'page', 'models', 'settings', 'data'],
  ...['runs', 'shell', 'sweeps', 'class', 'link', 'ladder', 'ask', 'run'],
];

/** One circle through each group of files that import each other, written `a -> b -> a`. */
function circles(imports: Imports): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start !== -1) {
      found.push([...path.slice(start), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const imported of imports.get(file) ?? []) visit(imported.file);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return found;
}

/** Imports that no border allows. */
function trespasses(imports: Imports): string[] {
  return [...imports].flatMap(([file, imported]) => {
    const room = roomOf(file);
    if (!(room in rooms)) return [];
    const { values = [], types = [] } = rooms[room];
    return imported
      .filter(({ file: other, typeOnly }) => {
        const allowed = [room, 'base', ...values, ...(typeOnly ? types : [])];
        return !allowed.includes(roomOf(other));
      })
      .map((other) => `${file} -> ${other.file}`);
  });
}

const appFolderOf = (file: string): string | undefined => /^src\/app\/([^/]+)\//.exec(file)?.[1];

/** Imports between folders of `src/app` that go up, and those of a folder that the list does not have. */
function climbs(imports: Imports): string[] {
  return [...imports].flatMap(([file, imported]) => {
    const folder = appFolderOf(file);
    if (folder === undefined) return [];
    const below = appFolders.slice(0, appFolders.indexOf(folder) + 1);
    return imported
      .filter(({ file: other }) => other.startsWith('src/app/') && !below.includes(appFolderOf(other) ?? ''))
      .map((other) => `${file} -> ${other.file}`);
  });
}

const sources = ['src', 'workers', 'bench', 'scripts', 'tests'];
const MOST_FILES = 15;
const mostLines = (path: string): number => (path.startsWith('src/app/') ? 300 : 400);
const generated = ['src/gpu/kernel-module.ts'];

/** Folders with more than `MOST_FILES` files, and files with more than `mostLines` lines. */
function tooLarge(files: readonly { path: string; lines: number }[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [
    ...[...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder),
    ...files.filter(({ path, lines }) => lines > mostLines(path)).map(({ path }) => path),
  ];
}

describe('files', () => {
  it('have at most 400 lines, those of the page 300, and folders at most 15 files', () => {
    const files = sources
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
      )
      .filter((path) => /\.tsx?$/.test(path) && !generated.includes(path))
      .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));
    expect(files.length).toBeGreaterThan(400);
    expect(tooLarge(files)).toEqual([]);
  });
});

describe('imports', async () => {
  const imports = await importsBelow(sources);

  it('are read off the source: static, dynamic, of types and re-exported', () => {
    const at = join(root, 'src', 'app', 'a.ts');
    const text = `import { type A, b } from '../base/random'; import type { C } from '../base/error'; import '../base/digest';
      export { d } from '../base/waits'; void import('../base/untrusted'); import { e } from 'elsewhere';`;
    expect(importsOf(at, text)).toEqual([
      { file: 'src/base/random.ts', typeOnly: false },
      { file: 'src/base/error.ts', typeOnly: true },
      { file: 'src/base/digest.ts', typeOnly: false },
      { file: 'src/base/waits.ts', typeOnly: false },
      { file: 'src/base/untrusted.ts', typeOnly: false },
    ]);
  });

  it('go in no circle', () => {
    expect(imports.size).toBeGreaterThan(400);
    expect(circles(imports)).toEqual([]);
  });

  it('go down from room to room only', () => {
    expect(trespasses(imports)).toEqual([]);
  });

  it('go down from folder to folder of the page only', () => {
    const folders = new Set([...imports.keys()].flatMap((file) => appFolderOf(file) ?? []));
    expect([...folders].sort()).toEqual(appFolders.toSorted());
    expect(climbs(imports)).toEqual([]);
  });

  it('break these rules in an invented example', () => {
    const invented: Imports = new Map([
      ['src/tom/a.ts', [{ file: 'src/reward/b.ts', typeOnly: true }]],
      ['src/reward/b.ts', [{ file: 'src/tom/a.ts', typeOnly: false }]],
      ['src/app/ui/a.tsx', [{ file: 'src/store/b.ts', typeOnly: false }]],
      ['src/app/words/b.ts', [{ file: 'src/app/run/c.ts', typeOnly: true }]],
    ]);
    expect(circles(invented)).toEqual(['src/tom/a.ts -> src/reward/b.ts -> src/tom/a.ts']);
    const refused = ['src/tom/a.ts -> src/reward/b.ts', 'src/app/ui/a.tsx -> src/store/b.ts'];
    expect(trespasses(invented)).toEqual(refused);
    expect(climbs(invented)).toEqual(['src/app/words/b.ts -> src/app/run/c.ts']);
  });
});
