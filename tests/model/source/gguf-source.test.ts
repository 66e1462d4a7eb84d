import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveRevision } from '../../../src/model/source/hub';
import { openRemote } from '../../../src/model/source/remote-source';
import {
  openSource,
  type FileCache,
  type ModelFiles,
  type OpenOptions,
} from '../../../src/model/source/source';
import { readFloat32 } from '../../../src/model/files/half-floats';
import { openWeights, surveyModel } from '../../../src/model/files/weights-reader';
import { ggufFields, writeGguf } from '../../fixtures/gguf-file';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf, refusalTextOf } from '../refusal';
import { tinyConfig } from '../tiny';

const rows = 40_000;
const sizes = { hiddenSize: 32, headDim: 32, heads: 1, vocabularySize: 20 };
const gguf = writeGguf(ggufFields({ ...tinyConfig, ...sizes, architecture: 'llama' }), [
  { name: 'token_embd.weight', shape: [rows, 32], data: new Float32Array(rows * 32).fill(1.5) },
  { name: 'output_norm.weight', shape: [32], data: new Float32Array(32).fill(2.5) },
]);
const quick: OpenOptions = { retryDelay: 1 };

async function readNorm(files: ModelFiles): Promise<number> {
  return (await readFloat32((await openWeights(files)).get('model.norm.weight')!))[0];
}

describe('a GGUF file', () => {
  let hub: HubServer;
  let several: HubServer;
  let mixed: HubServer;
  beforeAll(async () => {
    hub = await startHub({ files: { 'model-q8_0.gguf': gguf, 'README.md': new Uint8Array(9) } });
    several = await startHub({ files: { 'a.q4_k_m.gguf': gguf, 'a.q8_0.gguf': gguf } });
    const config = new TextEncoder().encode('{"from":"config.json"}');
    mixed = await startHub({
      files: { 'a.gguf': gguf, 'model.safetensors': new Uint8Array(9), 'config.json': config },
    });
  });
  afterAll(() => Promise.all([hub, several, mixed].map((server) => server.close())));

  const openHub = (server: HubServer, file = '', more: OpenOptions = {}): Promise<ModelFiles> =>
    openSource(
      { hub: server.repository + file, revision: server.revision },
      { ...quick, hubEndpoint: server.endpoint, ...more },
    );

  it('in a repository is surveyed, and read in parts', async () => {
    const files = await openHub(hub);
    hub.requests.length = 0;
    const survey = await surveyModel(files);
    expect(await files.json('config.json')).toMatchObject({ vocab_size: 20 });
    expect(survey).toEqual({
      files: [{ name: 'model-q8_0.gguf', size: gguf.length }],
      bytes: gguf.length,
    });
    const asked = hub.requests.filter(({ place }) => place === 'storage').map(({ range }) => range!);
    expect(Math.max(...asked.map(([, end]) => end))).toBeLessThanOrEqual(2 ** 20);
    expect(await readNorm(files)).toBe(2.5);
    expect(files.address('config.json')).toMatch(/\/model-q8_0\.gguf$/);
  });

  it('is opened through a cache for its tensors only, and its header is cached', async () => {
    const texts = new Map<string, string>();
    const opened: string[] = [];
    const cache: FileCache = {
      open(address) {
        opened.push(address);
        return openRemote(address, quick);
      },
      async text(address, fetchText) {
        texts.set(address, texts.get(address) ?? (await fetchText()));
        return texts.get(address)!;
      },
    };
    await (await openHub(hub, '', { cache })).json('config.json');
    expect(opened).toEqual([]);
    hub.requests.length = 0;
    expect(await readNorm(await openHub(hub, '', { cache }))).toBe(2.5);
    expect(opened).toEqual([expect.stringMatching(/\/model-q8_0\.gguf$/)]);
    const asked = hub.requests.filter(({ place, range }) => place === 'storage' && range![1] > 1000);
    expect(asked.map(({ range }) => range![0])).not.toContain(0);
  });

  it('must be named if a repository has several, and is ignored if there are safetensors', async () => {
    expect(await refusalOf(() => openHub(several))).toBe('model/gguf-several');
    expect(await refusalTextOf(() => openHub(several))).toContain('a.q4_k_m.gguf, a.q8_0.gguf');
    expect(await readNorm(await openHub(several, ':a.q8_0.gguf'))).toBe(2.5);
    const absent = await openHub(several, ':b.gguf');
    expect(await refusalTextOf(() => absent.json('config.json'))).toContain('b.gguf');
    expect(await (await openHub(mixed)).json('config.json')).toEqual({ from: 'config.json' });
    expect((await openHub(mixed, ':a.gguf')).gguf?.name).toBe('a.gguf');
    for (const wrong of [':a.bin', ':../a.gguf', ':a/b.gguf', ':'])
      expect(await refusalOf(() => openHub(several, wrong))).toBe('model/hub-name');
    const named = `${several.repository}:a.q8_0.gguf`;
    const options = { ...quick, endpoint: several.endpoint };
    expect(await resolveRevision(named, 'main', options)).toBe(several.revision);
  });

  it('among local files may have any name, also in a folder', async () => {
    for (const name of ['x.gguf', 'folder/x.gguf']) {
      const files = await openSource({ files: { [name]: new Blob([gguf]), 'notes.txt': new Blob([]) } });
      expect(await readNorm(files)).toBe(2.5);
      expect(await files.has('generation_config.json')).toBe(false);
    }
    const two = { 'a.gguf': new Blob([gguf]), 'b.gguf': new Blob([gguf]) };
    expect(await refusalOf(() => openSource({ files: two }))).toBe('model/gguf-several');
    const pointer = new Blob(['version https://git-lfs.github.com/spec/v1\n']);
    const files = await openSource({ files: { 'a.gguf': pointer } });
    expect(await refusalOf(() => files.json('config.json'))).toBe('model/lfs-pointer');
  });
});
