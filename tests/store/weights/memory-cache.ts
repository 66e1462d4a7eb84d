/** The Cache API in memory, for Node. Tests can limit its space, damage its entries and inspect them. */
import type { PartCache } from '../../../src/store/weights/weight-parts';

export interface MemoryCache extends PartCache {
  entries: Map<string, { bytes: Uint8Array<ArrayBuffer>; headers: [string, string][] }>;
  /** Limit on the stored bytes. */
  room: number;
}

export function createMemoryCache(): MemoryCache {
  const entries: MemoryCache['entries'] = new Map();
  const cache: MemoryCache = {
    entries,
    room: Infinity,
    match(key) {
      const entry = entries.get(key);
      return Promise.resolve(entry && new Response(entry.bytes.slice(), { headers: entry.headers }));
    },
    async put(key, response) {
      if (response.status === 206) throw new TypeError('Partial response (status code 206) is unsupported');
      const bytes = new Uint8Array(await response.arrayBuffer());
      const used = [...entries.values()].reduce((sum, entry) => sum + entry.bytes.length, 0);
      if (used + bytes.length > cache.room) throw new DOMException('Quota exceeded.', 'QuotaExceededError');
      entries.set(key, { bytes, headers: [...response.headers] });
    },
    delete: (key) => Promise.resolve(entries.delete(key)),
    keys: () => Promise.resolve([...entries.keys()].map((url) => ({ url }))),
  };
  return cache;
}

/** The disk refuses to read these parts, the last one from its second piece on, until they are written again. */
export function refuseReads(cache: MemoryCache, parts: readonly number[]): void {
  const match = cache.match.bind(cache);
  const before = new Map(cache.entries);
  const refused = () => Promise.reject(new DOMException('unreadable', 'NotReadableError'));
  cache.match = async (key) => {
    const found = await match(key);
    const part = Number(/\/(\d+)$/.exec(key)?.[1] ?? NaN);
    if (found === undefined || !parts.includes(part) || cache.entries.get(key) !== before.get(key))
      return found;
    if (part !== parts.at(-1)) return Object.assign(found, { blob: refused });
    const blob = await found.blob();
    const slice = (start: number, end: number) =>
      start === 0 ? Blob.prototype.slice.call(blob, start, end) : { arrayBuffer: refused };
    return Object.assign(found, { blob: () => Promise.resolve(Object.assign(blob, { slice })) });
  };
}
