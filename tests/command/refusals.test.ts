/** Refusals of the command before it opens a model; its functions are called directly. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AskedRun } from '../../src/command/asked-run';
import { evaluateRun } from '../../src/command/subcommands/evaluate-command';
import { adapterSourceOf, filesIn, importedItemsOf, modelSourceOf } from '../../src/command/model-places';
import { loadReward } from '../../src/command/load-reward';
import { sweepInFolder } from '../../src/command/subcommands/sweep-command';
import { confirmed, sayWaits, terminalOn } from '../../src/command/terminal';
import { fetchPage } from '../../src/model/source/remote-source';
import { openSource } from '../../src/model/source/source';
import { checkRunConfig } from '../../src/run/config/check-config';
import { presets } from '../../src/run/config/presets';
import type { RunFile } from '../../src/share/run-file';
import { folderForEach } from '../fixtures/folder';
import { ggufFields, writeGguf } from '../fixtures/gguf-file';
import { errorOf, refusalOf, refusalTextOf } from '../model/refusal';
import { tinyConfig } from '../model/tiny';
import { answering, terminalTo } from './terminal';

const config = presets['ladder-25k'];
const asked: AskedRun = { config, sweep: {}, page: null, kept: null, ignored: [] };
const silent = terminalTo();

const folderNow = folderForEach('sweep');
afterEach(() => vi.unstubAllGlobals());

describe('the command', () => {
  const lora = { mode: 'lora' as const, rank: 4, alpha: 8 };
  const imported = { ...config, data: { ...config.data, source: 'imported:0123456789abcdef' } };
  const evaluated = { ...config, evaluation: { ...config.evaluation, imported: ['0123456789abcdef'] } };
  const files = { ...config, model: { kind: 'files' as const, name: 'mine' } };
  const ofFiles = { ...config, training: { ...lora, adapter: 'files:mine' } };
  const evaluating = (checkpoint: unknown, adapter?: string) => () =>
    evaluateRun({
      asked: { ...asked, kept: { checkpoint } as RunFile },
      places: { adapter },
      terminal: silent,
    });
  const sweep = () =>
    sweepInFolder({
      ...{ runs: [{ arm: '', values: {}, config }], page: null, folder: folderNow(), processes: 1 },
      ...{ passedOn: [], terminal: silent, signal: new AbortController().signal },
    });

  it.each<[code: string, text: string, act: () => unknown]>([
    ['command/no-checkpoint', 'contains no weights', evaluating(null)],
    ['command/own-weights', 'has its own weights', evaluating({}, 'trained')],
    ['command/no-data', 'trains on the imported', () => importedItemsOf(imported, {})],
    ['command/no-data', 'no file no-such.jsonl.', () => importedItemsOf(imported, { data: 'no-such.jsonl' })],
    ['command/no-data', 'evaluated on imported', () => importedItemsOf(evaluated, {})],
    [
      'command/data-not-trained',
      'trains on swap, and --data names rows.jsonl.',
      () => importedItemsOf(config, { data: 'rows.jsonl' }),
    ],
    ['command/no-folder', 'no-such-folder', () => filesIn('no-such-folder')],
    ['command/no-folder', 'none.gguf', () => modelSourceOf(config, { model: 'none.gguf' }, null)],
    ['command/no-model', '“mine”', () => modelSourceOf(files, {}, null)],
    ['command/no-model', '“mine”', () => adapterSourceOf(ofFiles, {}, null)],
    [
      'command/adapter-not-taken',
      '--adapter names mine',
      () => adapterSourceOf(config, { adapter: 'mine' }, null),
    ],
    ['command/no-sweep', 'no sweep axis', sweep],
  ])('refuses with %s: %s', async (code, text, act) => {
    expect(await errorOf(act)).toMatchObject({ code, message: expect.stringContaining(text) as string });
  });

  it('takes only the data set that the run names, under the name of its file or of its id', async () => {
    const rows = (who: string): string =>
      Array.from({ length: 6 }, (_, i) =>
        JSON.stringify({ story: `${who} is in room ${i}.`, question: 'Where?', answer: `room ${i}` }),
      ).join('\n');
    const [mine, other] = ['mine.jsonl', 'other.jsonl'].map((name) => join(folderNow(), name));
    writeFileSync(mine, rows('Ann'));
    writeFileSync(other, rows('Bob'));
    const naming = (id: string) => ({ ...config, data: { ...config.data, source: `imported:${id}` } });
    // An id without a hash, written by hand, accepts a file; the record then holds the file's id.
    const { ids } = await importedItemsOf(naming('any'), { data: mine });
    const [id] = ids;
    expect(id).toMatch(/^mine-[0-9a-f]{16}$/);
    expect(await refusalOf(() => importedItemsOf(naming('any'), { data: other }, ids))).toBe(
      'command/other-data',
    );
    expect(await refusalTextOf(() => importedItemsOf(naming(id), { data: other }))).toMatch(
      new RegExp(`^The run names the data set ${id}, and .*other.jsonl is the data set other-`),
    );
    // The page may have had another name for the same file.
    renameSync(mine, join(folderNow(), 'renamed.jsonl'));
    const renamed = join(folderNow(), 'renamed.jsonl');
    expect((await importedItemsOf(naming(id), { data: renamed })).ids).toEqual([id]);
    const judged = { ...config, evaluation: { ...config.evaluation, imported: [id] } };
    expect(await refusalOf(() => importedItemsOf(judged, { evaluation: [other] }))).toBe(
      'command/other-data',
    );
    expect(
      (await importedItemsOf(judged, { evaluation: [other, renamed] })).imported.evaluation,
    ).toHaveLength(12);
  });

  it('names a silent server while it waits', { tags: ['long'] }, async () => {
    const address = 'https://models.example/file';
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    });
    const said: string[] = [];
    sayWaits(terminalTo(said));
    const abort = new AbortController();
    const reading = refusalOf(() => fetchPage(address, 100, { signal: abort.signal }));
    await expect.poll(() => said.length, { timeout: 15_000 }).toBe(1);
    abort.abort();
    await reading;
    expect(said[0]).toMatch(new RegExp(`^Waiting for ${address}: nothing received yet after \\d+ s\\.$`));
  });

  it('runs a reward only after the user agreed, and only from a module with a function', async () => {
    const file = join(folderNow(), 'my reward.mjs');
    writeFileSync(file, 'globalThis.wasRun = true; export default (completion) => completion.length;');
    const messages: string[] = [];
    const answer = (yes: boolean) => answering(yes, messages);
    expect(await refusalOf(() => loadReward(file, answer(false)))).toBe('command/not-agreed');
    expect(messages[0]).toContain(file);
    expect(globalThis).not.toHaveProperty('wasRun');
    const reward = await loadReward(file, answer(true));
    expect(globalThis).toHaveProperty('wasRun');
    expect(reward.name).toBe('my-reward.mjs');
    expect(await reward('four', {} as never, {} as never)).toBe(4);
    writeFileSync(join(folderNow(), 'none.mjs'), 'export const reward = 1;');
    for (const name of ['none.mjs', 'absent.mjs'])
      expect(await refusalOf(() => loadReward(join(folderNow(), name), answer(true)))).toBe(
        'command/no-reward',
      );
  });

  it('opens the model in a GGUF file or its folder', async () => {
    const file = join(folderNow(), 'other.gguf');
    writeFileSync(file, writeGguf(ggufFields({ ...tinyConfig, vocabularySize: 3 })));
    for (const model of [folderNow(), file]) {
      const files = await openSource(await modelSourceOf(config, { model }, null));
      expect(await files.json('config.json')).toMatchObject({ model_type: 'qwen2', vocab_size: 3 });
    }
  });

  it('finds embedded models and shipped adapters in this checkout or on the page', async () => {
    const model = (name: string) => ({ ...config, model: { kind: 'embedded' as const, name } });
    const adapter = (name: string) => ({ ...config, training: { ...lora, adapter: `ships:${name}` } });
    const page = 'https://a.example/m/';
    const namesIn = (source: unknown) => Object.keys((source as { files: object }).files);
    expect(namesIn(await modelSourceOf(config, {}, page))).toContain('model.safetensors');
    const here = await adapterSourceOf(adapter('rooms-135m'), {}, null);
    expect(namesIn(here)).toContain('adapter_config.json');
    expect(await modelSourceOf(model('nowhere'), {}, page)).toEqual({ url: `${page}models/nowhere/` });
    const there = await adapterSourceOf(adapter('nowhere'), {}, page);
    expect(there).toEqual({ url: `${page}adapters/nowhere/` });
    for (const [find, option] of [
      [() => modelSourceOf(model('nowhere'), {}, null), '--model'],
      [() => adapterSourceOf(adapter('nowhere'), {}, null), '--adapter'],
    ] as const)
      expect(await errorOf(find)).toMatchObject({
        code: 'command/no-model',
        nextStep: expect.stringContaining(`name its folder with ${option}`) as string,
      });
  });
});

it('the Hub gets no request for a file or a link before the user agrees', async () => {
  const messages: string[] = [];
  const [no, yes] = [false, true].map((is) => ({ mayFetch: answering(is, messages) }));
  const gguf = { kind: 'hub' as const, repository: 'owner/name:model.Q4_K_M.gguf', revision: 'a'.repeat(40) };
  const training = { mode: 'lora' as const, rank: 4, alpha: 8, adapter: `hub:a/b@${'a'.repeat(40)}` };
  const onHub = { ...config, model: gguf };
  for (const asking of [
    () => modelSourceOf(onHub, no, null),
    () => modelSourceOf(onHub, {}, null),
    () => adapterSourceOf({ ...config, training }, no, null),
  ])
    expect(await refusalOf(asking)).toBe('command/not-agreed');
  expect(messages).toEqual([
    'the model https://huggingface.co/owner/name, from huggingface.co',
    'the adapter https://huggingface.co/a/b, from huggingface.co',
  ]);
  expect(await modelSourceOf(onHub, yes, null)).toEqual({ hub: gguf.repository, revision: gguf.revision });
  for (const repository of ['owner/name:model.bin', 'owner/name:../a.gguf', 'owner/name:'])
    expect(await refusalOf(() => checkRunConfig({ ...config, model: { ...gguf, repository } }))).toBe(
      'share/out-of-range',
    );
});

it.each([
  ['y\r', true],
  ['no\r', false],
  ['\u0003', false],
  ['\u0004', false],
])('the answer %j to a question means %s; Ctrl-C and Ctrl-D are a no', async (keys, isYes) => {
  const input = new PassThrough();
  const answer = confirmed('Download it? ', input, Object.assign(new PassThrough(), { isTTY: true }));
  input.write(keys);
  expect(await answer).toBe(isYes);
});

it('the output contains no control sequences for the terminal, and a space for a line break', () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) > 0, isTTY: true, columns: 80 };
  const terminal = terminalOn(stream);
  terminal.say('a\u001b[2Jb\u202ec\nd\u009b1m');
  terminal.show('\u001b]0;title\u0007e');
  expect(written).toEqual(['a[2Jbc d1m\n', ']0;titlee\n']);
});
