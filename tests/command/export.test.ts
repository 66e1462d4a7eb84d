/** `marble-rl export`, called as a function. */
import { existsSync, mkdirSync, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AskedRun } from '../../src/command/asked-run';
import { modelSourceOf } from '../../src/command/model-places';
import { exportTo } from '../../src/command/subcommands/export-command';
import { exportRun } from '../../src/export/cluster/export-run';
import { unzipFiles } from '../export/unzip-files';
import { openSource } from '../../src/model/source/source';
import { presets } from '../../src/run/config/presets';
import { folderForAll } from '../fixtures/folder';
import { tokenizerFields, writeGguf } from '../fixtures/gguf-file';
import { embeddedFiles } from '../export/model-folder';
import { refusalOf, refusalTextOf } from '../model/refusal';
import { terminalTo } from './terminal';

const config = { ...presets['ladder-25k'], steps: 2 };
const asked: AskedRun = { config, sweep: {}, page: null, kept: null, ignored: [] };

const smallGguf = {
  'general.architecture': 'qwen2',
  'qwen2.block_count': 1,
  'qwen2.context_length': 64,
  'qwen2.embedding_length': 32,
  'qwen2.feed_forward_length': 32,
  'qwen2.attention.head_count': 1,
  'qwen2.attention.layer_norm_rms_epsilon': 1e-5,
  ...tokenizerFields(3),
};
const folder = folderForAll('export');
const said: string[] = [];
const terminal = terminalTo(said);

it.each(['verl', 'trl'] as const)(
  'marble-rl export writes the library’s export for %s, as a folder and as a zip',
  async (to) => {
    const { files, lost } = await exportRun(config, { to, modelFiles: embeddedFiles('ladder-25k') });
    await exportTo({ asked, to, out: join(folder, to), places: {}, terminal });
    await exportTo({ asked, to, out: join(folder, `${to}.zip`), places: {}, terminal });
    const zipped = await unzipFiles(await openAsBlob(join(folder, `${to}.zip`)));
    expect(Object.keys(zipped).sort()).toEqual([...files.keys()].sort());
    for (const [name, bytes] of files) {
      const written = readFileSync(join(folder, to, name));
      expect(written.equals(bytes), name).toBe(true);
      expect(written.equals(new Uint8Array(await zipped[name].arrayBuffer())), name).toBe(true);
    }
    expect(lost.length).toBeGreaterThan(0);
    for (const { what, instead } of lost) expect(said).toContain(`  ${what}: ${instead}`);
  },
);

it('an export of a GGUF file itself, or into a folder without a name, is refused', async () => {
  const request = { asked, to: 'trl', places: {}, terminal } as const;
  expect(await refusalTextOf(() => exportTo({ ...request, out: '' }))).toContain('its name is empty');
  const model = join(folder, 'model.gguf');
  writeFileSync(model, writeGguf(smallGguf));
  const out = { ...request, out: join(folder, 'refused'), places: { model } };
  expect(await refusalOf(() => exportTo(out))).toBe('export/gguf');
});

it('--model takes a GGUF file or its folder', async () => {
  const own = join(folder, 'gguf');
  mkdirSync(own);
  writeFileSync(join(own, 'other.gguf'), writeGguf(smallGguf));
  for (const model of [own, join(own, 'other.gguf')]) {
    const files = await openSource(await modelSourceOf(config, { model }, null));
    expect(await files.json('config.json')).toMatchObject({ model_type: 'qwen2', vocab_size: 3 });
  }
  const missing = { model: join(own, 'none.gguf') };
  expect(await refusalOf(() => modelSourceOf(config, missing, null))).toBe('command/no-folder');
});

it('the export of a run on a GGUF file has weights that the trainer can read, and the adapter', async () => {
  const revision = 'a'.repeat(40);
  const hub = { kind: 'hub' as const, repository: 'owner/name:model.Q4_1.gguf', revision };
  const training = { mode: 'lora' as const, rank: 8, alpha: 16, adapter: 'ships:rooms-135m' };
  const adapter = join(folder, 'own');
  mkdirSync(adapter);
  for (const name of ['adapter_config.json', 'adapter_model.safetensors'])
    writeFileSync(join(adapter, name), name);
  const model = join('public', 'models', 'ladder-25k');
  const run = { ...asked, config: { ...config, model: hub, training } };
  for (const to of ['trl', 'verl'] as const)
    await exportTo({ asked: run, to, out: join(folder, `gguf-${to}`), places: { model, adapter }, terminal });
  const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
  expect(existsSync(join(folder, 'gguf-trl', 'model', 'model.safetensors'))).toBe(true);
  expect(text('gguf-trl/adapter/adapter_model.safetensors')).toBe('adapter_model.safetensors');
  expect(JSON.parse(text('gguf-trl/trl-settings.json'))).toMatchObject({ model: { path: 'model' } });
  expect(text('gguf-verl/run-verl.sh')).toContain('MODEL="${MODEL:-$FOLDER/model}"');
  expect(text('gguf-verl/README.md')).toContain('| `model/` |');
});
