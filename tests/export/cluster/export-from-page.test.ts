import { afterEach, describe, expect, it, vi } from 'vitest';
import { exportFromPage } from '../../../src/export/cluster/export-from-page';
import { unzipFiles } from '../unzip-files';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { embeddedFiles } from '../model-folder';

const base = 'https://marble.example/course/index.html';
const { evaluation, ...rest } = presets['ladder-25k'];
const config: RunConfig = {
  ...rest,
  steps: 2,
  evaluation: { ...evaluation, items: 4, finalItems: 4, hardItems: 0 },
};

const adapter = {
  'adapter_config.json': new Blob(['{}']),
  'adapter_model.safetensors': new Blob(['weights']),
};

function serve(): string[] {
  const requests: string[] = [];
  const files: Record<string, Blob> = { ...embeddedFiles('ladder-25k'), ...adapter };
  vi.stubGlobal('fetch', (address: string) => {
    const { pathname } = new URL(address);
    requests.push(pathname);
    const file = files[pathname.split('/').at(-1)!] as Blob | undefined;
    return Promise.resolve(new Response(file ?? null, { status: file === undefined ? 404 : 200 }));
  });
  return requests;
}

afterEach(() => vi.unstubAllGlobals());

describe('an export from the page', () => {
  it('fetches an embedded model and a shipped adapter from the page’s folder, and rejects other adapters', async () => {
    const requests = serve();
    const from = (place: string) => {
      const training = { mode: 'lora' as const, rank: 8, alpha: 16, adapter: place };
      return exportFromPage({ ...config, training }, 'trl', base);
    };
    const files = await unzipFiles(await from('ships:rooms-135m'));
    expect(requests).toContain('/course/models/ladder-25k/model.safetensors');
    expect(requests).toContain('/course/adapters/rooms-135m/adapter_model.safetensors');
    expect(files['model/model.safetensors'].size).toBe(embeddedFiles('ladder-25k')['model.safetensors'].size);
    expect(await files['adapter/adapter_model.safetensors'].text()).toBe('weights');
    expect(JSON.parse(await files['trl-settings.json'].text())).toMatchObject({ lora: { adapter: true } });
    await expect(from('https://b.example/adapter')).rejects.toMatchObject({ code: 'export/by-command' });
  });

  it('takes the files of the visitor’s own model, which are chosen again', async () => {
    serve();
    const own: RunConfig = { ...config, model: { kind: 'files', name: 'mine' } };
    const folder = Object.fromEntries(
      Object.entries(embeddedFiles('ladder-25k')).map(([name, file]) => [`mine/${name}`, file]),
    );
    const others = { 'mine/1_Pooling/config.json': new Blob(['{}']), 'mine/optimizer.pt': new Blob(['x']) };
    const files = await unzipFiles(await exportFromPage(own, 'trl', base, {}, { ...folder, ...others }));
    expect(files['model/model.safetensors'].size).toBe(folder['mine/model.safetensors'].size);
    expect(files['model/config.json'].size).toBe(folder['mine/config.json'].size);
    expect(files).not.toHaveProperty(['model/optimizer.pt']);
    const url: RunConfig = { ...config, model: { kind: 'url', url: 'https://models.example/mine' } };
    for (const elsewhere of [own, url])
      await expect(exportFromPage(elsewhere, 'trl', base)).rejects.toMatchObject({
        code: 'export/by-command',
        nextStep: expect.stringContaining('--model') as string,
      });
  });
});
