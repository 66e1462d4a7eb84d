import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { surveyModel } from '../../../src/model/files/weights-reader';
import { hubAddress, listedFiles, resolveRevision } from '../../../src/model/source/hub';
import { openRemote } from '../../../src/model/source/remote-source';
import { openSource, type ModelFiles, type OpenOptions } from '../../../src/model/source/source';
import { startHub, type Fault, type HubRequest, type HubServer } from '../../fixtures/servers/hub-server';
import { refusal, refusalOf, refusalTextOf } from '../refusal';

const weights = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) & 255);
const config = new TextEncoder().encode('{"model_type":"qwen2"}');
const files = {
  'model.safetensors': weights,
  'config.json': config,
  'notes.txt': new Uint8Array([0xff, 0xfe]),
};

let hub: HubServer;
let fault: (request: HubRequest) => Fault | null = () => null;
const quick: OpenOptions = { retryDelay: 1 };

beforeAll(async () => {
  hub = await startHub({ files, fault: (request) => fault(request) });
});
afterAll(() => hub.close());

/** Runs with a fault for the n-th storage request for more than the first byte. */
async function withFault<T>(make: (nth: number) => Fault | null, body: () => Promise<T>): Promise<T> {
  let nth = 0;
  fault = ({ place, range }) => (place === 'storage' && (range?.[1] ?? 0) > 1 ? make(nth++) : null);
  try {
    return await body();
  } finally {
    fault = () => null;
  }
}

const openHub = (more: OpenOptions = {}): Promise<ModelFiles> =>
  openSource(
    { hub: hub.repository, revision: hub.revision },
    { ...quick, hubEndpoint: hub.endpoint, ...more },
  );

describe('a repository of the Hub', () => {
  it('lists sizes and hashes, reads small files, and reads large ones through the redirect in parts', async () => {
    const opened = await openHub();
    expect(opened.listing?.get('model.safetensors')?.size).toBe(weights.length);
    expect(opened.listing?.get('model.safetensors')?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await opened.has('tokenizer.json')).toBe(false);
    expect(await opened.json('config.json')).toEqual({ model_type: 'qwen2' });
    const source = await opened.bytes('model.safetensors');
    expect(source.size).toBe(weights.length);
    expect(Buffer.compare(await source.read(1000, 2_000_000), weights.subarray(1000, 2_000_000))).toBe(0);
    const asked = hub.requests.filter(({ place }) => place === 'storage').map(({ range }) => range);
    expect(asked).toContainEqual([1000, 2_000_000]);
    expect(asked).not.toContainEqual(null);
  });

  it('is asked for the redirect target of a file once until it expires, and bypasses the HTTP cache', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const source = await (await openHub()).bytes('model.safetensors');
    const asked = (place: HubRequest['place']) => hub.requests.filter((request) => request.place === place);
    hub.requests.length = 0;
    for (let start = 0; start < 3; start++) await source.read(start, start + 1_500_000);
    expect([asked('hub').length, asked('storage').length]).toEqual([0, 3]);
    fault = ({ place }) =>
      place === 'storage' && asked('hub').length === 0 ? { kind: 'status', status: 403 } : null;
    expect((await source.read(0, 1_500_000)).length).toBe(1_500_000);
    fault = () => null;
    await source.read(1, 1_500_000);
    expect([asked('hub').length, asked('storage').length]).toEqual([1, 6]);
    const parts = fetched.mock.calls.flatMap(([, init]) =>
      (init?.headers as { Range?: string })?.Range ? [init?.cache] : [],
    );
    expect(new Set(parts)).toEqual(new Set(['no-store']));
    fetched.mockRestore();
  });

  it('gets one request for adjacent small reads', async () => {
    const source = await (await openHub()).bytes('model.safetensors');
    hub.requests.length = 0;
    for (let start = 1_500_000; start < 2_500_000; start += 50_000) {
      const bytes = await source.read(start, start + 50_000);
      expect(Buffer.compare(bytes, weights.subarray(start, start + 50_000))).toBe(0);
    }
    const asked = hub.requests.filter(({ place }) => place === 'storage').map(({ range }) => range);
    expect(asked).toEqual([
      [1_048_576, 2_097_152],
      [2_097_152, 3_000_000],
    ]);
  });

  it('resolves a branch to its commit', async () => {
    const resolve = (branch: string) =>
      resolveRevision(hub.repository, branch, { ...quick, endpoint: hub.endpoint });
    expect(await resolve('main')).toBe(hub.revision);
    expect(await refusalOf(() => resolve('other'))).toBe('model/file-missing');
  });

  it('requires owner/name and a commit of 40 hexadecimal digits', async () => {
    const revision = 'b'.repeat(40);
    const code = (hub: string, revision: string) => refusalOf(() => openSource({ hub, revision }));
    for (const name of ['marble', 'a/b/c', '../x', 'a/..', 'a b/c', 'https://x/y', ''])
      expect([name, await code(name, revision)]).toEqual([name, 'model/hub-name']);
    for (const wrong of ['main', 'B'.repeat(40), 'b'.repeat(39), ''])
      expect([wrong, await code('owner/name', wrong)]).toEqual([wrong, 'model/hub-revision']);
    expect(await refusalOf(() => resolveRevision('owner/name', '../main'))).toBe('model/hub-revision');
    expect(hubAddress('Qwen/Qwen2.5-0.5B', revision, 'a b.json')).toBe(
      `https://huggingface.co/Qwen/Qwen2.5-0.5B/resolve/${revision}/a%20b.json`,
    );
  });
});

describe('the list of a repository', () => {
  const startOther = async (...options: Parameters<typeof startHub>): Promise<HubServer> => {
    const other = await startHub(...options);
    onTestFinished(() => other.close());
    return other;
  };
  const list = ({ endpoint, repository, revision }: HubServer) =>
    listedFiles(`models/${repository}/tree/${revision}`, { endpoint });
  const small = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.txt`, new Uint8Array(1)]));

  it('is read over several pages, which must be on its server', async () => {
    const paged = await startOther({ files: small(9), pageEntries: 3 });
    expect([...(await list(paged)).keys()]).toEqual(Object.keys(small(9)));
    expect(paged.requests).toHaveLength(3);
    const leading = await startOther({ files: small(9), pageEntries: 3, nextOrigin: paged.endpoint });
    expect(await refusalOf(() => list(leading))).toBe('model/hub-answer');
    expect(paged.requests).toHaveLength(3);
  });

  it('has a limit on its pages', async () => {
    const long = await startOther({ files: small(102), pageEntries: 1 });
    expect(await refusalTextOf(() => list(long))).toContain('more than 100000 files');
  });

  it('gives the files and sizes of loading without fetching any weights', async () => {
    const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const map = JSON.stringify({ weight_map: { a: shards[0], b: shards[1], c: shards[0] } });
    const index = new TextEncoder().encode(map);
    const sizes = { 'config.json': 30, 'tokenizer.json': 20, [shards[0]]: 1000, [shards[1]]: 500 };
    const stored = Object.entries({ ...sizes, 'README.md': 7, 'other.safetensors': 10_000 });
    const contents = Object.fromEntries(stored.map(([name, size]) => [name, new Uint8Array(size)]));
    const sharded = await startOther({ files: { ...contents, 'model.safetensors.index.json': index } });
    const { endpoint: hubEndpoint, repository, revision } = sharded;
    const survey = await surveyModel(await openSource({ hub: repository, revision }, { hubEndpoint }));
    expect(survey.files).toHaveLength(5);
    expect(Object.fromEntries(survey.files.map(({ name, size }) => [name, size]))).toEqual({
      ...{ ...sizes, 'model.safetensors.index.json': index.length },
    });
    expect(survey.bytes).toBe(1550 + index.length);
    expect(sharded.requests.some(({ place }) => place === 'storage')).toBe(false);
  });
});

describe('a folder at an address', () => {
  const folder = (kind: string): string => `${hub.endpoint}/${hub.repository}/${kind}/${hub.revision}`;

  it('is read like a repository, without a list', async () => {
    const opened = await openSource({ url: folder('resolve') }, quick);
    expect(opened.listing).toBeNull();
    expect(await opened.has('config.json')).toBe(true);
    expect(await opened.has('tokenizer.json')).toBe(false);
    expect(await opened.json('config.json')).toEqual({ model_type: 'qwen2' });
    const file = await opened.bytes('model.safetensors');
    expect(await file.read(0, 4)).toEqual(weights.slice(0, 4));
    expect(await refusalOf(() => opened.text('tokenizer.json'))).toBe('model/file-missing');
    expect(await refusalOf(() => opened.text('notes.txt'))).toBe('model/not-text');
  });

  it('rejects Git LFS pointers and web pages', async () => {
    const raw = await openSource({ url: folder('raw') }, quick);
    expect(await refusalOf(() => raw.bytes('model.safetensors'))).toBe('model/lfs-pointer');
    fault = () => ({ kind: 'page' });
    const page = await openSource({ url: folder('resolve') }, quick);
    expect(await refusalOf(() => page.json('config.json'))).toBe('model/web-page');
    expect(await page.has('chat_template.jinja')).toBe(false);
    expect(await refusalOf(() => openHub())).toBe('model/hub-answer');
    fault = () => null;
  });

  it('must be a web address, with a server', async () => {
    for (const url of ['models/ladder-12k', 'file:///etc', 'data:text/plain,x', 'javascript:1'])
      expect(await refusalOf(() => openSource({ url }))).toBe('model/bad-address');
    const opened = await openSource({ url: 'http://127.0.0.1:9/' }, quick);
    const unreachable = refusal('model/unreachable', 'cannot be reached');
    await expect(opened.has('config.json')).rejects.toEqual(unreachable);
  });
});

describe('a server that misbehaves', () => {
  const read = async (): Promise<Uint8Array> =>
    (await (await openHub()).bytes('model.safetensors')).read(0, 2_000_000);
  const once = (first: Fault) => (nth: number) => (nth === 1 ? first : null); // request 0 looks for an LFS pointer

  it.each<[string, Fault]>([
    ['drops the connection', { kind: 'drop', after: 70_000 }],
    ['rejects the connection', { kind: 'refuse' }],
    ['answers 429 with a delay', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
    ['ends a part early', { kind: 'short' }],
    ['sends more than announced', { kind: 'extra' }],
  ])('once (%s) is retried successfully', async (_, first) => {
    const bytes = await withFault(once(first), read);
    expect(Buffer.compare(bytes, weights.subarray(0, 2_000_000))).toBe(0);
  });

  it.each<[string, Fault, string]>([
    ['drops every connection', { kind: 'drop', after: 70_000 }, 'model/unreachable'],
    ['is always busy', { kind: 'status', status: 503 }, 'model/busy'],
    ['lies about the size', { kind: 'wrong-total', total: 5 }, 'model/server-range'],
    ['sends another part', { kind: 'wrong-part' }, 'model/server-range'],
    ['sends a web page', { kind: 'page' }, 'model/web-page'],
    ['omits the range of a part', { kind: 'no-range-header' }, 'model/server-range'],
    ['sends too little', { kind: 'short' }, 'model/download-truncated'],
    ['sends too much', { kind: 'extra' }, 'model/download-size'],
    ['forbids', { kind: 'status', status: 403 }, 'model/forbidden'],
    ['has an unexpected status', { kind: 'status', status: 418 }, 'model/server-status'],
  ])('always (%s) causes a specific error', async (_, every, code) => {
    const readLater = async (): Promise<Uint8Array> =>
      (await (await openHub()).bytes('model.safetensors')).read(1000, 2_000_000);
    const refused = withFault(
      (nth) => (nth === 0 ? null : every),
      () => refusalOf(readLater),
    );
    expect(await refused).toBe(code);
  });

  it.each([0, 1000, 2_999_990])('always (sends the whole file) gives the part from %i on', async (start) => {
    const source = await (await openHub()).bytes('model.safetensors');
    const end = Math.min(weights.length, start + 2_000_000);
    const bytes = await withFault(
      () => ({ kind: 'ignore-range' }),
      () => source.read(start, end),
    );
    expect(Buffer.compare(bytes, weights.subarray(start, end))).toBe(0);
  });

  it('by sending a whole large file for a late part is not read to that part', async () => {
    const probe = { status: 206, headers: { 'content-range': 'bytes 0-0/1000000000' } };
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response('x', probe));
    fetched.mockImplementation(() => Promise.resolve(new Response('whole')));
    const remote = await openRemote('http://models.test/w', quick);
    expect(await refusalOf(() => remote.read(900_000_000, 900_000_001))).toBe('model/download-whole');
    expect(fetched).toHaveBeenCalledTimes(5);
    fetched.mockRestore();
  });

  it('by a failed attempt causes a progress report that subtracts its bytes', async () => {
    const told: number[] = [];
    const { endpoint, repository, revision } = hub;
    const remote = await openRemote(hubAddress(repository, revision, 'model.safetensors', endpoint), quick);
    const readAll = () => remote.read(2, weights.length, (bytes) => told.push(bytes));
    await withFault((nth) => (nth === 0 ? { kind: 'drop', after: 2_500_000 } : null), readAll);
    expect(told.some((bytes) => bytes < 0)).toBe(true);
    expect(told.reduce((sum, bytes) => sum + bytes)).toBe(weights.length - 2);
  });

  it('by a rate limit is retried after the requested delay', async () => {
    const busy: Fault = { kind: 'status', status: 429, headers: { ratelimit: '"resolvers";r=0;t=1' } };
    const started = performance.now();
    await withFault(once(busy), read);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it('by a wrong size in all responses is detected with the list', async () => {
    fault = ({ place }) => (place === 'storage' ? { kind: 'wrong-total', total: 2_999_999 } : null);
    const opened = await openHub();
    expect(await refusalOf(() => opened.bytes('model.safetensors'))).toBe('model/download-size');
    fault = () => null;
  });

  it.each(['etag', 'last-modified'] as const)(
    'by replacing a file is detected by its %s',
    async (versions) => {
      const name = 'model.safetensors';
      const server = await startHub({ files: { [name]: weights }, unredirected: true, versions });
      onTestFinished(() => server.close());
      const { endpoint, repository, revision } = server;
      const remote = await openRemote(hubAddress(repository, revision, name, endpoint), quick);
      await remote.read(0, 100);
      await server.replace(name, new Uint8Array(weights.length));
      expect(await refusalOf(() => remote.read(100, 200))).toBe('model/file-changed');
    },
  );
});

describe('local files', () => {
  const blob = (text: string): Blob => new Blob([text]);

  it('are found by name, in a dropped folder, and a single weights file under any name', async () => {
    const dropped = await openSource({
      files: {
        'my-model/config.json': blob('{"a":1}'),
        'my-model/x/config.json': blob('{}'),
        'w.safetensors': blob('x'),
      },
    });
    expect(await dropped.json('config.json')).toEqual({ a: 1 });
    expect(await dropped.has('model.safetensors')).toBe(true);
    for (const absent of ['tokenizer.json', 'constructor', '__proto__'])
      expect(await dropped.has(absent)).toBe(false);
    expect(dropped.address('config.json')).toBeNull();
    expect(await refusalOf(() => dropped.text('tokenizer.json'))).toBe('model/file-missing');
  });

  it('are rejected if too large, not JSON, or a Git LFS pointer', async () => {
    const opened = await openSource({
      files: {
        'config.json': blob('{"a":'),
        'tokenizer_config.json': new Blob([new Uint8Array(2_000_000)]),
        'model.safetensors': blob('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n'),
      },
    });
    expect(await refusalOf(() => opened.json('config.json'))).toBe('model/not-json');
    expect(await refusalOf(() => opened.json('tokenizer_config.json'))).toBe('model/file-size');
    expect(await refusalOf(() => opened.bytes('model.safetensors'))).toBe('model/lfs-pointer');
  });
});
