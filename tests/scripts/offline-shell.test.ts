import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { offlineShell } from '../../scripts/build/offline-shell';
import type { Shell } from '../../src/base/shell-cache';
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
    'adapters/rooms-135m/adapter_config.json': small,
    'adapters/rooms-135m/adapter_model.safetensors': large,
    'adapters/rooms-135m/README.md': small,
    'service-worker.js': 'const shell = MARBLE_SHELL;',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, dirname(name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const write = () => (offlineShell.writeBundle as unknown as (options: { dir: string }) => void)({ dir });
  write();
  const code = readFileSync(join(dir, 'service-worker.js'), 'utf8');
  const shell = JSON.parse(/const shell = (.*);/.exec(code)![1]) as Shell;
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  expect(shell).toMatchObject({
    files: { 'index.html': hash(small), 'models/small/model.safetensors': hash(small) },
    later: {
      'adapters/rooms-135m/adapter_config.json': hash(small),
      'adapters/rooms-135m/adapter_model.safetensors': hash(large),
      'models/large/model.safetensors': hash(large),
    },
  });
  expect(Object.keys({ ...shell.files, ...shell.later })).toHaveLength(5);
  writeFileSync(
    join(dir, 'service-worker.js'),
    'import{a}from"./assets/index.js";const shell = MARBLE_SHELL;',
  );
  expect(write).toThrow('imports a chunk');
});
