/** A model's folder as the files that `loadPolicy` takes, each read when it is asked for. */
import { openAsBlob } from 'node:fs';
import { readdir } from 'node:fs/promises';

export async function modelFiles(folder: string): Promise<Record<string, Blob>> {
  const names = (await readdir(folder)).filter((name) => name !== 'trained'); // what the model became
  const files = await Promise.all(
    names.map(async (name) => [name, await openAsBlob(`${folder}/${name}`)] as const),
  );
  return Object.fromEntries(files);
}
