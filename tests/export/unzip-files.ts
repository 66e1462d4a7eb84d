/** Reads the exported archives of `src/export/weights-zip.ts`. */
import { unzipSync } from 'fflate';

export async function unzipFiles(archive: Blob): Promise<Record<string, Blob>> {
  const entries = Object.entries(unzipSync(new Uint8Array(await archive.arrayBuffer())));
  return Object.fromEntries(entries.map(([name, bytes]) => [name, new Blob([bytes])]));
}
