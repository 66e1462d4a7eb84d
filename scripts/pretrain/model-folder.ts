/** Reads and writes a model's folder. */
import { openAsBlob } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';

/** @returns files as `loadPolicy` expects them, each read on demand */
export async function modelFiles(folder: string): Promise<Record<string, Blob>> {
  const names = (await readdir(folder)).filter((name) => name !== 'trained'); // excludes the trained copy
  const files = await Promise.all(
    names.map(async (name) => [name, await openAsBlob(`${folder}/${name}`)] as const),
  );
  return Object.fromEntries(files);
}

export async function writeModel(folder: string, files: Record<string, Blob | string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? content : new Uint8Array(await content.arrayBuffer());
    await writeFile(`${folder}/${name}`, bytes);
  }
}
