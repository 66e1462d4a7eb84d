/** A model's folder as the files that `loadPolicy` takes. */
import { readdir, readFile } from 'node:fs/promises';

export async function modelFiles(folder: string): Promise<Record<string, Blob>> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(
      async (name) => [name, new Blob([new Uint8Array(await readFile(`${folder}/${name}`))])] as const,
    ),
  );
  return Object.fromEntries(files);
}
