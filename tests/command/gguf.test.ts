import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportTo } from '../../src/command/subcommands/export-command';
import { modelSourceOf } from '../../src/command/model-places';
import { cardHead } from '../../src/export/model-card';
import { openSource } from '../../src/model/source/source';
import { checkRunConfig } from '../../src/run/config/check-config';
import { presets } from '../../src/run/config/presets';
import { contactsOf } from '../../src/share/contacts';
import { folderForEach } from '../fixtures/folder';
import { tokenizerFields, writeGguf } from '../fixtures/gguf-file';
import { refusalOf } from '../model/refusal';

const folder = folderForEach('gguf');
const gguf = writeGguf({
  'general.architecture': 'qwen2',
  'qwen2.block_count': 1,
  'qwen2.context_length': 64,
  'qwen2.embedding_length': 32,
  'qwen2.feed_forward_length': 32,
  'qwen2.attention.head_count': 1,
  'qwen2.attention.layer_norm_rms_epsilon': 1e-5,
  ...tokenizerFields(3),
});
const config = { ...presets['small-llms'], model: { kind: 'files' as const, name: 'model.gguf' } };

it('--model takes a GGUF file or its folder', async () => {
  const file = join(folder(), 'model.gguf');
  mkdirSync(join(folder(), 'own'));
  for (const path of [file, join(folder(), 'own', 'other.gguf')]) writeFileSync(path, gguf);
  for (const model of [file, join(folder(), 'own')]) {
    const files = await openSource(await modelSourceOf(config, { model }, null));
    expect(await files.json('config.json')).toMatchObject({ model_type: 'qwen2', vocab_size: 3 });
  }
  expect(await refusalOf(() => modelSourceOf(config, { model: join(folder(), 'none.gguf') }, null))).toBe(
    'command/no-folder',
  );
});

it('an export of a run on a GGUF file is refused', async () => {
  writeFileSync(join(folder(), 'model.gguf'), gguf);
  const places = { model: join(folder(), 'model.gguf') };
  const request = { asked: { config, page: null }, to: 'trl', out: folder(), places } as unknown;
  expect(await refusalOf(() => exportTo(request as Parameters<typeof exportTo>[0]))).toBe('export/gguf');
});

it('a configuration names a GGUF file of a repository', async () => {
  const named = (repository: string) => () =>
    checkRunConfig({ ...config, model: { kind: 'hub', repository, revision: 'a'.repeat(40) } });
  const read = named('owner/name:model.Q4_K_M.gguf')();
  expect(contactsOf(read, 'https://page.invalid/')).toMatchObject([
    { address: 'https://huggingface.co/owner/name' },
  ]);
  expect(cardHead(read)).toContain('base_model: owner/name');
  for (const wrong of ['owner/name:model.bin', 'owner/name:../a.gguf', 'owner/name:']) {
    expect(await refusalOf(named(wrong))).not.toBe('accepted');
  }
});
