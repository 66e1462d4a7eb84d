/** Reads the imports of every source file: `tests/imports.test.ts` checks them, `scripts/room-picture.ts` draws them. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'vite';

export interface Import {
  /** Path from the root. */
  file: string;
  typeOnly: boolean;
}
/** By the path of the file that imports. */
export type Imports = ReadonlyMap<string, readonly Import[]>;

export const root = join(import.meta.dirname, '..');

export async function importsBelow(folders: readonly string[]): Promise<Imports> {
  const lists = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = lists
    .flat()
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(
        async (file) =>
          [relative(root, file), importsOf(file, await readFile(file, 'utf8'))] as [string, Import[]],
      ),
    ),
  );
}

/** Static and dynamic imports and exports from another file of the project. */
export function importsOf(file: string, text: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const named = [...staticImports, ...staticExports].map(({ start, end, entries }) => ({
    from: /from\s*'([^']+)'|^import\s*'([^']+)'/.exec(text.slice(start, end)),
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const fetched = dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    from: /^'([^']+)'$/.exec(text.slice(start, end)),
    typeOnly: false,
  }));
  return [...named, ...fetched].flatMap(({ from, typeOnly }) => {
    const path = from?.[1] ?? from?.[2];
    if (!path?.startsWith('.')) return [];
    const whole = resolve(dirname(file), path);
    const found = [whole, `${whole}.ts`, `${whole}.tsx`, join(whole, 'index.ts')].find(
      (candidate) => /\.tsx?$/.test(candidate) && existsSync(candidate),
    );
    return found === undefined ? [] : [{ file: relative(root, found), typeOnly }];
  });
}

/** The room of a file, or the file's name if it is outside the rooms. */
export const roomOf = (file: string): string => /^(?:src\/)?([^/.]+)/.exec(file)![1];
