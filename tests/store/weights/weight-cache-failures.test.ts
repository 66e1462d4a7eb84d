/** Each request to the server and each call of the browser's cache fails in turn, once and permanently. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { hubAddress, type ListedFile } from '../../../src/model/source/hub';
import { openRemote } from '../../../src/model/source/remote-source';
import { openWeightCache, type OpenedWeights } from '../../../src/store/weights/weight-cache';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf } from '../../model/refusal';
import { createMemoryCache, type MemoryCache } from './memory-cache';

const sizes = { part: 1024, piece: 256 };
/** Three parts; the last one is short. */
const weights = Uint8Array.from({ length: 2 * sizes.part + 300 }, (_, index) => (index * 7919) & 255);
const listed: ListedFile = {
  size: weights.length,
  sha256: createHash('sha256').update(weights).digest('hex'),
};

let hub: HubServer;
let address: string;
let cache: MemoryCache;
beforeAll(async () => {
  hub = await startHub({ files: { 'model.safetensors': weights } });
  address = hubAddress(hub.repository, hub.revision, 'model.safetensors', hub.endpoint);
});
afterAll(() => hub.close());
beforeEach(() => {
  cache = createMemoryCache();
});
afterEach(() => vi.unstubAllGlobals());

type Fails = 'never' | 'once' | 'permanently';

/** Counts calls and selects the n-th to fail, or the n-th and all later ones. */
function failing(n: number, fails: Fails) {
  let calls = 0;
  return {
    calls: () => calls,
    isDue(): boolean {
      calls += 1;
      return fails === 'once' ? calls === n : fails === 'permanently' && calls >= n;
    },
  };
}
type Failing = ReturnType<typeof failing>;

function failingCache(when: Failing): MemoryCache {
  const unless = async <T>(call: () => Promise<T>): Promise<T> => {
    if (when.isDue()) throw new DOMException('The cache failed.', 'UnknownError');
    return call();
  };
  const whole = cache;
  return {
    ...whole,
    match: (key) => unless(() => whole.match(key)),
    put: (key, response) => unless(() => whole.put(key, response)),
    delete: (key) => unless(() => whole.delete(key)),
    keys: () => unless(() => whole.keys()),
  };
}

const unbroken = globalThis.fetch;

function failingFetch(when: Failing): typeof fetch {
  return (...given) => (when.isDue() ? Promise.reject(new TypeError('Failed to fetch')) : unbroken(...given));
}

async function visit(storage: MemoryCache): Promise<OpenedWeights> {
  const opened = await openWeightCache(openRemote, {
    storage: { open: () => Promise.resolve(storage) },
    sizes,
  });
  return opened.open(address, listed, { retryDelay: 1 });
}

/** Returns the error code, or `whole` if the content equals the file. */
async function outcomeOf(storage: MemoryCache): Promise<string> {
  const refusal = await refusalOf(async () => {
    const opened = await visit(storage);
    expect(Buffer.compare(await opened.read(0, weights.length), weights)).toBe(0);
  });
  return refusal === 'accepted' ? 'whole' : refusal;
}

const places = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

it('a download succeeds if its n-th request fails once, and reports an unreachable server if all later ones fail too, for every n', async () => {
  const counted = failing(0, 'never');
  vi.stubGlobal('fetch', failingFetch(counted));
  expect(await outcomeOf(cache)).toBe('whole');
  vi.stubGlobal('fetch', unbroken);
  expect(counted.calls()).toBeGreaterThan(8);
  for (const n of places(counted.calls())) {
    for (const fails of ['once', 'permanently'] as const) {
      cache = createMemoryCache();
      vi.stubGlobal('fetch', failingFetch(failing(n, fails)));
      const outcome = await outcomeOf(cache);
      vi.stubGlobal('fetch', unbroken);
      expect([n, fails, outcome]).toEqual([n, fails, fails === 'once' ? 'whole' : 'model/unreachable']);
      expect([n, fails, await outcomeOf(cache)]).toEqual([n, fails, 'whole']);
    }
  }
});

it.each([
  ['a download', 'once'],
  ['a download', 'permanently'],
  ['a stored file', 'once'],
  ['a stored file', 'permanently'],
] as const)(
  '%s is whole or the failure is reported, for every call of the cache that fails, %s',
  async (what, fails) => {
    if (what === 'a stored file') await visit(cache);
    const stored = [...cache.entries.keys()];
    const counted = failing(0, 'never');
    expect(await outcomeOf(failingCache(counted))).toBe('whole');
    if (what === 'a download') expect(counted.calls()).toBeGreaterThan(8);
    for (const n of places(counted.calls())) {
      if (what === 'a download') cache = createMemoryCache();
      const outcome = await outcomeOf(failingCache(failing(n, fails)));
      expect(['whole', 'store/unavailable']).toContain(outcome);
      // The failure may be temporary, so a stored file stays.
      expect([...cache.entries.keys()]).toEqual(expect.arrayContaining(stored));
      // The cache has no damaged data: the next visit reads and stores the file.
      expect([n, await outcomeOf(cache)]).toEqual([n, 'whole']);
    }
  },
);

it('a cache whose data are cleared while the page is open is opened again, and no error of the browser is shown', async () => {
  const notFound = new DOMException("Failed to execute 'keys' on 'Cache'", 'NotFoundError');
  const gone = (): Promise<never> => Promise.reject(notFound);
  let opened = 0;
  const first = createMemoryCache();
  const storage = { open: () => Promise.resolve(opened++ === 0 ? first : cache) };
  const weightCache = await openWeightCache(openRemote, { storage, sizes });
  await (await weightCache.open(address, listed)).read(0, 10);
  expect(await weightCache.list()).toHaveLength(1);
  Object.assign(first, { match: gone, keys: gone, put: gone, delete: gone });
  expect(await weightCache.list()).toEqual([]);
  expect(await weightCache.missing([{ address, size: weights.length }])).toBe(weights.length);
});
