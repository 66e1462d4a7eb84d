import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { offlineShell } from '../../scripts/build/offline-shell';
import { folderForEach } from '../fixtures/folder';

const folderNow = folderForEach('shell');

it('the offline shell caches the page and its models, and large weights and adapters on first use', () => {
  const dir = folderNow();
  const small = 'x';
  const large = 'x'.repeat(300_001);
  const files: Record<string, string> = {
    'index.html': small,
    'models/small/model.safetensors': small,
    'models/large/model.safetensors': large,
    'models/small/README.md': small,
    'adapters/rooms-135m/adapter_config.json': small,
    'adapters/rooms-135m/adapter_model.safetensors': large,
    'adapters/rooms-135m/README.md': small,
    'service-worker.js': 'const shell = MARBLE_SHELL;',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, dirname(name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  (offlineShell.writeBundle as unknown as (options: { dir: string }) => void)({ dir });
  const code = readFileSync(join(dir, 'service-worker.js'), 'utf8');
  const shell = JSON.parse(/const shell = (.*);/.exec(code)![1]) as { files: string[]; later: string[] };
  expect(shell).toMatchObject({
    files: ['index.html', 'models/small/model.safetensors'],
    later: [
      'adapters/rooms-135m/adapter_config.json',
      'adapters/rooms-135m/adapter_model.safetensors',
      'models/large/model.safetensors',
    ],
  });
});
