/** Modules that only one backend needs. Each registers its loader at import, and opening the backend loads it. */

type PartedBackend = 'wasm' | 'webgpu';

const parts: Record<PartedBackend, (() => Promise<void>)[]> = { wasm: [], webgpu: [] };

/** @returns a getter of the part, which returns null until the part is loaded */
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
