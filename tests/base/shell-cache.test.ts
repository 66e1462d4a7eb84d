/** The cache of the page: it holds only the files of the build, and no failure of it reaches a visitor with a network. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createShellCache, type Shell } from '../../src/base/shell-cache';

const scope = 'https://example.org/a/';
const texts: Record<string, string> = {
  'index.html': '<!doctype html><title>Marble</title>',
  'assets/page.js': 'start()',
  'models/small/model.safetensors': 'weights',
  'models/large/model.safetensors': 'more weights',
};
const login = '<!doctype html><title>Log in</title>';

const hashesOf = (files: readonly string[]) =>
  Object.fromEntries(files.map((file) => [file, createHash('sha256').update(texts[file]).digest('hex')]));
const names = Object.keys(texts);
const shell = (version: string): Shell => ({
  version,
  files: hashesOf(names.slice(0, 3)),
  later: hashesOf(names.slice(3)),
  headers: { 'cross-origin-opener-policy': 'same-origin' },
});

/** A call of the cache, and what becomes of it. */
type Fault = (call: string) => 'fails' | 'is silent' | undefined;

/** The Cache API in memory. */
function memoryCaches(fault: Fault = () => undefined) {
  const stored = new Map<string, Map<string, Response>>();
  const call = async <T>(name: string, work: () => T): Promise<T> => {
    const kind = fault(name);
    if (kind === 'fails') throw new DOMException('Quota exceeded', 'QuotaExceededError');
    if (kind === 'is silent') await new Promise(() => undefined);
    return work();
  };
  const cacheOf = (name: string) => {
    if (!stored.has(name)) stored.set(name, new Map());
    const cache = stored.get(name)!;
    return {
      match: (key: string) => call('match', () => cache.get(key)?.clone()),
      put: (key: string, response: Response) => call('put', () => void cache.set(key, response)),
      delete: (key: string) => call('delete', () => cache.delete(key)),
    };
  };
  const caches = {
    open: (name: string) => call('open', () => cacheOf(name)),
    keys: () => call('keys', () => [...stored.keys()]),
    delete: (name: string) => call('delete', () => stored.delete(name)),
  } as unknown as CacheStorage;
  return { caches, stored };
}

type Network = (file: string) => Response | Promise<Response>;
const good: Network = (file) => new Response(texts[file]);

let requests: string[];
beforeEach(() => {
  requests = [];
});

function open(
  network: Network,
  { caches, version = '1', at = scope }: { caches: CacheStorage; version?: string; at?: string },
) {
  const fetched = (input: RequestInfo | URL): Promise<Response> => {
    const { url } = new Request(input);
    requests.push(url.slice(at.length));
    return Promise.resolve().then(() => network(url.slice(at.length)));
  };
  const cache = createShellCache(shell(version), { scope: at, caches, fetch: fetched, patience: 20 });
  /** The text of a response, after the work that it does not wait for. */
  const read = async (file: string) => {
    const work: Promise<unknown>[] = [];
    const response = await cache.answer(new Request(at + file), (each) => work.push(each));
    if (response === null) return null;
    const text = await response.text();
    await Promise.all(work);
    const isIsolated = response.headers.get('cross-origin-opener-policy') === 'same-origin';
    return { status: response.status, text, isIsolated };
  };
  return { ...cache, read };
}

const allFiles = (stored: ReturnType<typeof memoryCaches>['stored']): string[] =>
  [...stored.values()].flatMap((cache) => [...cache.keys()]).map((address) => address.slice(scope.length));

describe('a cached page', () => {
  it('is answered without a network, with the headers, and later files from their second request on', async () => {
    const { caches, stored } = memoryCaches();
    const shellCache = open(good, { caches });
    await shellCache.install();
    expect(allFiles(stored).sort()).toEqual(names.slice(0, 3).sort());
    await shellCache.read(names[3]);
    const offline = open(() => Promise.reject(new TypeError('Failed to fetch')), { caches });
    for (const file of ['', ...names]) {
      const text = texts[file === '' ? 'index.html' : file];
      expect(await offline.read(file), file).toEqual({ status: 200, text, isIsolated: true });
    }
    expect(await offline.read('models/none/model.safetensors')).toMatchObject({ status: 404 });
    expect(await offline.read('docs/index.html')).toBeNull();
    expect(await offline.answer(new Request(scope, { method: 'POST' }), () => undefined)).toBeNull();
  });

  it('is not made of what another server answered, at any file, at install or later', async () => {
    for (const wrong of names) {
      const { caches, stored } = memoryCaches();
      const portal: Network = (file) => (file === wrong ? new Response(login) : good(file));
      const caught = open(portal, { caches });
      await caught.install();
      expect(await caught.read(wrong)).toMatchObject({ text: login });
      expect(allFiles(stored), wrong).not.toContain(wrong);
      const healed = open(good, { caches });
      expect(await healed.read(wrong)).toMatchObject({ text: texts[wrong] });
      expect(allFiles(stored), wrong).toContain(wrong);
    }
  });

  it('is not installed while the server has not all of it', async () => {
    const status = (file: string): number => (file === names[1] ? 404 : 200);
    const partial = open((file) => new Response(texts[file], { status: status(file) }), memoryCaches());
    await expect(partial.install()).rejects.toThrow(names[1]);
  });

  it('that lacks a file which the server no longer has is not used for the next load of the page', async () => {
    const { caches, stored } = memoryCaches();
    await open((file) => (file === names[1] ? new Response(login) : good(file)), { caches }).install();
    expect(allFiles(stored).sort()).toEqual([names[0], names[2]]);
    const updated = open((file) => new Response('newer', { status: file === '' ? 200 : 404 }), { caches });
    // A host may leave out the largest files.
    expect(await updated.read(names[3])).toMatchObject({ status: 404 });
    expect(await updated.read('')).toMatchObject({ text: texts['index.html'] });
    expect(await updated.read('assets/page.js')).toMatchObject({ status: 404 });
    expect(allFiles(stored)).toEqual([names[2]]);
  });

  it('is deleted with its version, and neither with another deployment nor with other caches', async () => {
    const { caches, stored } = memoryCaches();
    const places = [scope, 'https://example.org/', 'https://example.org/a/b/', 'https://example.org/b/'];
    for (const at of places)
      for (const version of ['1', '2']) await open(good, { caches, version, at }).install();
    await caches.open('marble-weights');
    expect(stored.size).toBe(2 * places.length + 1);
    for (const at of places) {
      const before = [...stored.keys()];
      await open(good, { caches, version: '2', at }).deleteOthers();
      const deleted = before.filter((name) => !stored.has(name));
      expect(deleted).toEqual([`marble-shell-${new URL(at).pathname} 1`]);
    }
  });
});

const calls = ['open', 'match', 'put', 'keys', 'delete'];
it.each(['fails', 'is silent'] as const)('a cache costs no response when any call of it %s', async (kind) => {
  for (const call of [...calls, 'every']) {
    let silent = 0;
    const { caches } = memoryCaches((name) => {
      if (name !== call && call !== 'every') return undefined;
      silent += 1;
      return kind;
    });
    const shellCache = open(good, { caches });
    await shellCache.install();
    await shellCache.deleteOthers();
    for (const file of names) {
      const text = texts[file];
      expect(await shellCache.read(file), `${call} ${file}`).toEqual({
        status: 200,
        text,
        isIsolated: true,
      });
    }
    // Each response would wait for it: it is asked no more than at once, by the install.
    if (kind === 'is silent') expect(silent).toBeLessThanOrEqual(3);
  }
});
