import { afterEach, describe, expect, it, vi } from 'vitest';
import { exportFromPage } from '../../../src/export/cluster/export-from-page';
import { unzipFiles } from '../../../src/model/files/model-zip';
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
  it('fetches an embedded model relative to the page’s URL', async () => {
    const requests = serve();
    const files = await unzipFiles(await exportFromPage(config, 'verl', base));
    expect(requests).toContain('/course/models/ladder-25k/model.safetensors');
    expect(files['model/model.safetensors'].size).toBe(embeddedFiles('ladder-25k')['model.safetensors'].size);
    expect(await files['run-verl.sh'].text()).toContain('data.train_batch_size=16');
  });

  it('fetches a shipped adapter relative to the page’s URL, and rejects other adapters', async () => {
    const requests = serve();
    const from = (place: string) =>
      exportFromPage(
        { ...config, training: { mode: 'lora', rank: 8, alpha: 16, adapter: place } },
        'trl',
        base,
      );
    const files = await unzipFiles(await from('ships:rooms-135m'));
    expect(requests).toContain('/course/adapters/rooms-135m/adapter_model.safetensors');
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
    await expect(exportFromPage(own, 'trl', base)).rejects.toMatchObject({ code: 'export/by-command' });
  });

  it('reports files that the page lacks and the option of the command for them', async () => {
    serve();
    const url: RunConfig = { ...config, model: { kind: 'url', url: 'https://models.example/mine' } };
    await expect(exportFromPage(url, 'trl', base)).rejects.toMatchObject({
      code: 'export/by-command',
      nextStep: expect.stringContaining('--model') as string,
    });
  });
});
