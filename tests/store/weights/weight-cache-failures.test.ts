/** Every request to the server and every call of the browser's cache fails in turn, once and from then on. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hubAddress, type ListedFile } from '../../../src/model/source/hub';
import { openRemote } from '../../../src/model/source/remote-source';
import { openWeightCache, type OpenedWeights } from '../../../src/store/weights/weight-cache';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf } from '../../model/refusal';
import { createMemoryCache, type MemoryCache } from './memory-cache';

const sizes = { part: 1024, piece: 256 };
/** Three parts, the last one short. */
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

type Fails = 'never' | 'once' | 'for good';

/** Counts calls and lets the n-th fail, or the n-th and all after it. */
function failing(n: number, fails: Fails) {
  let calls = 0;
  return {
    calls: () => calls,
    isDue(): boolean {
      calls += 1;
      return fails === 'once' ? calls === n : fails === 'for good' && calls >= n;
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

/** The code of what is thrown; whatever is read must be the file. */
async function outcomeOf(storage: MemoryCache): Promise<string> {
  const refusal = await refusalOf(async () => {
    const opened = await visit(storage);
    expect(Buffer.compare(await opened.read(0, weights.length), weights)).toBe(0);
  });
  return refusal === 'accepted' ? 'whole' : refusal;
}

const places = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

it('a download of which the n-th request fails, for every n is whole where it fails once, and names an unreachable server where it fails for good', async () => {
  const counted = failing(0, 'never');
  vi.stubGlobal('fetch', failingFetch(counted));
  expect(await outcomeOf(cache)).toBe('whole');
  vi.stubGlobal('fetch', unbroken);
  expect(counted.calls()).toBeGreaterThan(8);
  for (const n of places(counted.calls())) {
    for (const fails of ['once', 'for good'] as const) {
      cache = createMemoryCache();
      vi.stubGlobal('fetch', failingFetch(failing(n, fails)));
      const outcome = await outcomeOf(cache);
      vi.stubGlobal('fetch', unbroken);
      expect([n, fails, outcome]).toEqual([n, fails, fails === 'once' ? 'whole' : 'model/unreachable']);
      expect([n, fails, await outcomeOf(cache)]).toEqual([n, fails, 'whole']);
    }
  }
});

describe('a download of which the n-th call of the cache fails, for every n', () => {
  it.each(['once', 'for good'] as const)(
    'gives the whole file or says that the storage fails, %s',
    async (fails) => {
      const counted = failing(0, 'never');
      expect(await outcomeOf(failingCache(counted))).toBe('whole');
      expect(counted.calls()).toBeGreaterThan(8);
      for (const n of places(counted.calls())) {
        cache = createMemoryCache();
        const outcome = await outcomeOf(failingCache(failing(n, fails)));
        expect(['whole', 'store/unavailable']).toContain(outcome);
        // What is left behind is whole or nothing: the next visit reads the file, and keeps it.
        expect([n, await outcomeOf(cache)]).toEqual([n, 'whole']);
      }
    },
  );

  it.each(['once', 'for good'] as const)('or is read again where it is kept, %s', async (fails) => {
    await visit(cache);
    const counted = failing(0, 'never');
    expect(await outcomeOf(failingCache(counted))).toBe('whole');
    for (const n of places(counted.calls())) {
      const outcome = await outcomeOf(failingCache(failing(n, fails)));
      expect(['whole', 'store/unavailable']).toContain(outcome);
      expect([n, await outcomeOf(cache)]).toEqual([n, 'whole']);
    }
  });
});
