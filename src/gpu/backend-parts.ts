/** Parts of the program that one backend alone needs: they say so when they are loaded, and are fetched as it is opened. */

type PartedBackend = 'wasm' | 'webgpu';

const parts: Record<PartedBackend, (() => Promise<void>)[]> = { wasm: [], webgpu: [] };

/** @returns what gives the part, and null until it is fetched */
export function partOf<T>(backend: PartedBackend, load: () => Promise<T>): () => T | null {
  let fetched: T | null = null;
  parts[backend].push(async () => {
    fetched = await load();
  });
  return () => fetched;
}

export async function fetchParts(backend: PartedBackend): Promise<void> {
  await Promise.all(parts[backend].map((part) => part()));
}
