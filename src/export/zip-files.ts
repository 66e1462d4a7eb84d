/** Zip archives of exported files. */
import { zipSync, type Zippable } from 'fflate';

/** Packs files. The archive has a fixed date, so equal files give equal bytes. */
export async function zipFiles(files: Record<string, Blob>): Promise<Blob> {
  const entries: Zippable = {};
  for (const [name, blob] of Object.entries(files)) {
    // Compression does not shrink weights.
    entries[name] = [
      new Uint8Array(await blob.arrayBuffer()),
      { level: name.endsWith('.safetensors') ? 0 : 6 },
    ];
  }
  return new Blob([zipSync(entries, { mtime: '1980-01-01T12:00:00' })], { type: 'application/zip' });
}
