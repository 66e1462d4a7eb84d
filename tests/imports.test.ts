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
  ...['shell', 'runs', 'sweeps', 'class', 'link', 'ladder', 'ask', 'run'],
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

const importing = (from: string, file: string, typeOnly = false): Imports =>
  new Map([[from, [{ file, typeOnly }]]]);

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

  it('are refused above that', () => {
    const many = Array.from({ length: 16 }, (_, i) => ({
      path: `src/a/${i}.ts`,
      lines: i === 3 ? 401 : 400,
    }));
    expect(tooLarge(many)).toEqual(['src/a', 'src/a/3.ts']);
    expect(tooLarge(many.slice(4))).toEqual([]);
    expect(tooLarge([{ path: 'src/app/a.ts', lines: 301 }])).toEqual(['src/app/a.ts']);
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

  it('are found in a circle where there is one', () => {
    const chain = { a: ['b'], b: ['c', 'd'], c: [], d: ['a'] };
    const circular = Object.entries(chain).map(
      ([from, files]) => [from, files.map((file) => ({ file, typeOnly: false }))] as const,
    );
    expect(circles(new Map(circular))).toEqual(['a -> b -> d -> a']);
  });

  it('go down from room to room only', () => {
    expect(trespasses(imports)).toEqual([]);
  });

  it.each([
    ['src/tom/a.ts', 'src/reward/b.ts', false, true],
    ['src/app/a.tsx', 'src/index.ts', true, true],
    ['src/app/a.tsx', 'src/store/b.ts', false, true],
    ['src/app/a.tsx', 'src/store/b.ts', true, false],
    ['scripts/record/a.ts', 'src/run/b.ts', false, false],
  ])('from %s to %s, of types alone: %s, are refused: %s', (from, to, typeOnly, isRefused) => {
    expect(trespasses(importing(from, to, typeOnly))).toEqual(isRefused ? [`${from} -> ${to}`] : []);
  });

  it('go down from folder to folder of the page only', () => {
    const folders = new Set([...imports.keys()].flatMap((file) => appFolderOf(file) ?? []));
    expect([...folders].sort()).toEqual(appFolders.toSorted());
    expect(climbs(imports)).toEqual([]);
  });

  it.each([
    ['src/app/ui/a.tsx', 'src/app/words/b.ts', true],
    ['src/app/words/b.ts', 'src/app/ui/a.tsx', false],
    ['src/app/words/b.ts', 'src/app/app.tsx', true],
    ['src/app/unlisted/a.ts', 'src/app/ui/a.tsx', true],
    ['src/app/app.tsx', 'src/app/words/b.ts', false],
  ])('from %s to %s, types included, are refused: %s', (from, to, isRefused) => {
    expect(climbs(importing(from, to, true))).toEqual(isRefused ? [`${from} -> ${to}`] : []);
  });
});
