import { afterEach, describe, expect, it, vi } from 'vitest';
import { exportFromPage } from '../../../src/export/cluster/export-from-page';
import { unzipFiles } from '../../../src/model/files/model-zip';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { embeddedFiles } from '../model-folder';

const base = 'https://marble.example/course/index.html';
const { evaluation, ...rest } = presets['ladder-25k'];
const config: RunConfig = { ...rest, steps: 2, evaluation: { ...evaluation, items: 4, finalItems: 4 } };

function serve(status = 200): string[] {
  const asked: string[] = [];
  const files = embeddedFiles('ladder-25k');
  vi.stubGlobal('fetch', (address: URL) => {
    asked.push(address.pathname);
    return Promise.resolve(new Response(files[address.pathname.split('/').at(-1)!], { status }));
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

describe('an export from the page', () => {
  it('takes an embedded model from beside the page, wherever that stands', async () => {
    const asked = serve();
    const files = await unzipFiles(await exportFromPage(config, 'verl', base));
    expect(asked).toContain('/course/models/ladder-25k/model.safetensors');
    expect(files['model/model.safetensors'].size).toBe(embeddedFiles('ladder-25k')['model.safetensors'].size);
    expect(await files['run-verl.sh'].text()).toContain('data.train_batch_size=16');
  });

  it('says what the page does not hold, and how the command takes it', async () => {
    serve();
    const url: RunConfig = { ...config, model: { kind: 'url', url: 'https://models.example/mine' } };
    await expect(exportFromPage(url, 'trl', base)).rejects.toMatchObject({
      code: 'export/by-command',
      nextStep: expect.stringContaining('--model') as string,
    });
  });

  it('names the file that could not be fetched', async () => {
    serve(503);
    await expect(exportFromPage(config, 'trl', base)).rejects.toMatchObject({
      code: 'export/not-fetched',
      message: expect.stringContaining('config.json') as string,
    });
  });
});
