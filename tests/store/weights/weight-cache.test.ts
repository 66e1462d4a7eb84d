import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const sizes = { part: 64 * 1024, piece: 16 * 1024 };
/** Six parts; the last one is short. */
const weights = Uint8Array.from(
  { length: 5 * sizes.part + 1234 },
  (_, index) => (index * 7919 + (index >> 9)) & 255,
);
const sha256 = createHash('sha256').update(weights).digest('hex');
const listed: ListedFile = { size: weights.length, sha256 };

let hub: HubServer;
let address: string;
let fault: (request: HubRequest) => Fault | null = () => null;
let cache: MemoryCache;

beforeAll(async () => {
  hub = await startHub({ files: { 'model.safetensors': weights }, fault: (request) => fault(request) });
  address = hubAddress(hub.repository, hub.revision, 'model.safetensors', hub.endpoint);
});
afterAll(() => hub.close());
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

async function expectWhole(source: OpenedWeights): Promise<void> {
  expect(source.size).toBe(weights.length);
  expect(Buffer.compare(await source.read(0, weights.length), weights)).toBe(0);
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
    const wrong = { size: weights.length - 1, sha256 };
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
