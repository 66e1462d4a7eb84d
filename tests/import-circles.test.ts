/** Files that import each other in a circle can only be read together: none may, types included. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Files by their path from the root, with the files that each imports. */
type Imports = ReadonlyMap<string, readonly string[]>;

const root = join(import.meta.dirname, '..');
const rooms = ['src', 'workers', 'scripts', 'tests'];

async function importsOf(folders: readonly string[]): Promise<Imports> {
  const lists = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = lists
    .flat()
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [relative(root, file), await importedBy(file)] as [string, string[]]),
    ),
  );
}

/** Static and dynamic imports, of values and of types; what is not of this project is left out. */
async function importedBy(file: string): Promise<string[]> {
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .flatMap(({ fileName }) => {
      const path = resolve(dirname(file), fileName);
      const found = [path, `${path}.ts`, `${path}.tsx`].find(
        (candidate) => /\.tsx?$/.test(candidate) && existsSync(candidate),
      );
      return found === undefined ? [] : [relative(root, found)];
    });
}

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
    for (const imported of imports.get(file) ?? []) visit(imported);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return found;
}

describe('imports', () => {
  it('go in no circle', async () => {
    const imports = await importsOf(rooms);
    expect(imports.size).toBeGreaterThan(400);
    expect(circles(imports)).toEqual([]);
  });

  it('are found in a circle where there is one', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['a']],
    ]);
    expect(circles(imports)).toEqual(['a -> b -> d -> a']);
  });
});
