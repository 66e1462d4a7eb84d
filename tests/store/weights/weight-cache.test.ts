import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hubAddress, type ListedFile } from '../../../src/model/source/hub';
import { openRemote } from '../../../src/model/source/remote-source';
import { openSource } from '../../../src/model/source/source';
import {
  openWeightCache,
  type DownloadProgress,
  type OpenedWeights,
  type WeightCache,
} from '../../../src/store/weights/weight-cache';
import { startHub, type Fault, type HubRequest, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf } from '../../model/refusal';
import { refuseReads, createMemoryCache, type MemoryCache } from './memory-cache';

const sizes = { part: 1024, piece: 256 };
/** Six parts; the last one is short. */
const weights = Uint8Array.from(
  { length: 5 * sizes.part + 200 },
  (_, index) => (index * 7919 + (index >> 9)) & 255,
);
/** Three parts; the last one is short. */
const fewParts = weights.subarray(0, 2 * sizes.part + 300);
const listedOf = (bytes: Uint8Array): ListedFile => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const listed = listedOf(weights);

let hub: HubServer;
let address: string;
let fault: (request: HubRequest) => Fault | null = () => null;
let cache: MemoryCache;

beforeAll(async () => {
  const files = { 'model.safetensors': weights, 'few.safetensors': fewParts };
  hub = await startHub({ files, fault: (request) => fault(request) });
  address = hubAddress(hub.repository, hub.revision, 'model.safetensors', hub.endpoint);
});
afterAll(() => hub.close());
afterEach(() => vi.unstubAllGlobals());
beforeEach(() => {
  fault = () => null;
  cache = createMemoryCache();
  hub.requests.length = 0;
});

const inMemory = { open: () => Promise.resolve(cache) };

/** A new visit of the page with the cache of earlier visits. */
const visit = (storage: { open(): Promise<MemoryCache> } = inMemory): Promise<WeightCache> =>
  openWeightCache(openRemote, { storage, sizes });

const open = async (
  options: { signal?: AbortSignal; onProgress?: (progress: DownloadProgress) => void } = {},
) => (await visit()).open(address, listed, { retryDelay: 1, ...options });

const codeOf = (promise: Promise<unknown>): Promise<string> => refusalOf(() => promise);

/** Start offsets of the pieces requested from the storage, without the probe. */
const requestedPieces = (): number[] =>
  hub.requests.flatMap(({ place, range }) =>
    place === 'storage' && range && range[1] > 1 ? [range[0]] : [],
  );

async function expectWhole(source: OpenedWeights, bytes = weights): Promise<void> {
  expect(source.size).toBe(bytes.length);
  expect(Buffer.compare(await source.read(0, bytes.length), bytes)).toBe(0);
  const [start, end] = [sizes.part - 5, 2 * sizes.part + 7]; // spans three parts
  const some = await source.read(start, end);
  expect(Buffer.compare(some, weights.subarray(start, end))).toBe(0);
  expect(some.byteOffset).toBe(0);
  expect(some.buffer.byteLength).toBe(end - start);
  expect((await source.read(10, 10)).length).toBe(0);
}

describe('a download', () => {
  it('requests every piece once, reports bytes, rate and time left, and needs no request on the next visit', async () => {
    const reports: DownloadProgress[] = [];
    await expectWhole(await open({ onProgress: (progress) => reports.push(progress) }));
    expect(reports[0]).toMatchObject({ received: 0, size: weights.length, rate: null });
    const received = reports.map((progress) => progress.received);
    expect(received).toEqual([...received].sort((a, b) => a - b));
    expect(reports.at(-1)).toMatchObject({ received: weights.length, secondsLeft: 0 });
    expect(reports.at(-1)!.rate).toBeGreaterThan(0);
    expect(requestedPieces().sort((a, b) => a - b)).toEqual(
      Array.from({ length: Math.ceil(weights.length / sizes.piece) }, (_, index) => index * sizes.piece),
    );
    hub.requests.length = 0;
    const again = await open();
    await expectWhole(again);
    expect(again).toMatchObject({ refusal: null });
    expect(hub.requests).toEqual([]);
  });

  it('of a commit, its file list included, needs no network on the next visit', async () => {
    const openAll = async () => {
      const place = { hub: hub.repository, revision: hub.revision };
      const source = await openSource(place, { hubEndpoint: hub.endpoint, cache: await visit() });
      await source.bytes('model.safetensors');
      return [...source.listing!.keys()];
    };
    const names = await openAll();
    hub.requests.length = 0;
    expect(await openAll()).toEqual(names);
    expect(hub.requests).toEqual([]);
    const weightCache = await visit();
    await weightCache.delete(hubAddress(hub.repository, hub.revision, '', hub.endpoint));
    expect(await weightCache.list()).toEqual([]);
    expect(await cache.keys()).toEqual([]);
  });

  it('that resumes checks its stored parts, and fetches only the missing and the damaged ones', async () => {
    fault = ({ place, range }) =>
      place === 'storage' && range?.[0] === 5 * sizes.part ? { kind: 'drop', after: 9 } : null;
    await codeOf(open());
    fault = () => null;
    const kept = 5 * sizes.part;
    expect(await (await visit()).list()).toMatchObject([{ address, kept, complete: false }]);
    hub.requests.length = 0;
    const stop = new AbortController();
    let checked = 0;
    const onProgress = ({ received }: DownloadProgress): void => {
      checked = received;
      if (received > sizes.part) stop.abort();
    };
    expect(await codeOf(open({ signal: stop.signal, onProgress }))).toBe('model/aborted');
    expect(checked).toBe(2 * sizes.part);
    expect(requestedPieces()).toEqual([]);
    const damaged = [...cache.entries].find(([key]) => key.endsWith('/2'))![1];
    damaged.bytes[sizes.piece + 5] ^= 1;
    refuseReads(cache, [3, 4]);
    const received: number[] = [];
    await expectWhole(await open({ onProgress: (progress) => received.push(progress.received) }));
    const pieces = [0, 1, 2, 3].map((piece) => piece * sizes.piece);
    const again = [2, 3, 4].flatMap((part) => pieces.map((start) => part * sizes.part + start));
    expect(requestedPieces()).toEqual([...again, 5 * sizes.part]);
    expect(received.slice(0, 4)).toEqual(pieces);
  });
});

describe('a server that misbehaves', () => {
  // tests/model/source/source.test.ts covers the errors of single requests.
  it('by a changed byte leaves nothing in the cache', async () => {
    fault = ({ place, range }) => (place === 'storage' && (range?.[1] ?? 0) > 1 ? { kind: 'corrupt' } : null);
    expect(await codeOf(open())).toBe('store/download-hash');
    expect(cache.entries.size).toBe(0);
  });

  it.each([
    ['for every part', 2],
    ['for every request', 0],
  ])('by sending the whole file %s still serves a file that fits into memory', async (_, least) => {
    fault = ({ place, range }) =>
      place === 'storage' && (range?.[1] ?? 0) >= least ? { kind: 'ignore-range' } : null;
    await expectWhole(await open());
    hub.requests.length = 0;
    await expectWhole(await open());
    expect(hub.requests).toEqual([]);
  });

  it('by another size than in its list is rejected before a part is fetched', async () => {
    const wrong = { ...listed, size: weights.length - 1 };
    expect(await codeOf((await visit()).open(address, wrong))).toBe('store/download-size');
    expect(requestedPieces()).toEqual([]);
  });
});

describe('a stored file', () => {
  it.each([
    ['was damaged', 4, (key: string) => (cache.entries.get(key)!.bytes[sizes.piece + 3] ^= 1)],
    ['was cleared by the browser', 0, (key: string) => cache.entries.delete(key)],
  ])('refetches only the part that %s', async (_, part, harm) => {
    await open();
    harm([...cache.entries.keys()].find((name) => name.endsWith(`/${part}`))!);
    hub.requests.length = 0;
    await expectWhole(await open());
    expect(requestedPieces().sort((a, b) => a - b)).toEqual(
      [0, 1, 2, 3].map((piece) => part * sizes.part + piece * sizes.piece),
    );
  });

  it('is listed with its size, subtracted from the missing bytes, and deleted completely', async () => {
    const weightCache = await visit();
    const file = { address, size: weights.length };
    expect(await weightCache.missing([file])).toBe(weights.length);
    await weightCache.open(address, listed);
    expect(await weightCache.list()).toMatchObject([{ ...file, kept: weights.length, complete: true }]);
    expect(await weightCache.missing([file])).toBe(0);
    expect(await weightCache.missing([{ address, size: 1000 }])).toBe(1000); // the server has another file now
    cache.entries.delete([...cache.entries.keys()].find((name) => name.endsWith('/0'))!);
    expect(await weightCache.list()).toMatchObject([{ complete: false }]);
    await weightCache.delete(address);
    expect(await weightCache.list()).toEqual([]);
    expect(cache.entries.size).toBe(0);
  });
});

describe('without browser storage', () => {
  it('weights are read from the network on demand, and the reason is reported', async () => {
    const refused = await visit({ open: () => Promise.reject(new DOMException('denied', 'SecurityError')) });
    const source = await refused.open(address, listed);
    expect(source.refusal?.code).toBe('store/unavailable');
    await expectWhole(source);
    expect(await refused.list()).toEqual([]);
  });

  it('an incomplete file is removed if the storage is full', async () => {
    cache.room = 2.5 * sizes.part;
    const source = await open();
    expect(source.refusal?.code).toBe('store/full');
    expect(cache.entries.size).toBe(0);
    await expectWhole(source);
  });
});

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

/** Returns the error code, or `whole` if the content equals the file of three parts. */
async function outcomeOf(storage: MemoryCache): Promise<string> {
  const refusal = await refusalOf(async () => {
    const visited = await visit({ open: () => Promise.resolve(storage) });
    const few = address.replace('model', 'few');
    await expectWhole(await visited.open(few, listedOf(fewParts), { retryDelay: 1 }), fewParts);
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
    if (what === 'a stored file') await outcomeOf(cache);
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
  const weightCache = await visit(storage);
  await (await weightCache.open(address, listed)).read(0, 10);
  expect(await weightCache.list()).toHaveLength(1);
  Object.assign(first, { match: gone, keys: gone, put: gone, delete: gone });
  expect(await weightCache.list()).toEqual([]);
  expect(await weightCache.missing([{ address, size: weights.length }])).toBe(weights.length);
});
