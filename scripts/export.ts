/**
 * A run for another engine, as a folder or a zip:
 *
 *     npm run export -- <preset or link> --to verl|trl --out <folder or file.zip>
 *         [--model <folder>] [--adapter <folder>] [--data <file>] [--seed <n>] [--steps <n>]
 *
 * Embedded models are at hand; of a model on the Hub the tokenizer is fetched, unless `--model` names a folder with its
 * files. What has no counterpart is printed and stands in lost-fields.md; what would train for something else is refused.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MarbleError, toErrorReport } from '../src/error';
import { exportRun, zipExport } from '../src/export/export-run';
import type { Engine } from '../src/export/mapping';
import { fetchTokenizerFiles } from '../src/export/model-files';
import type { RunConfig } from '../src/run/config';
import { presets } from '../src/run/presets';
import { decodeLink } from '../src/share/link';
import { checkRunConfig } from '../src/run/check-config';
import { importDataset } from '../src/tom/import/import-dataset';

const usage =
  'usage: npm run export -- <preset or link> --to verl|trl --out <folder or file.zip> [--model <folder>] [--adapter <folder>] [--data <file>] [--seed <n>] [--steps <n>]';

function filesIn(folder: string): Record<string, Blob> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MarbleError(
      'export/missing-files',
      `There is no folder ${folder}.`,
      'Name a folder with the files.',
    );
  }
  const names = readdirSync(folder).filter((name) => /\.(json|jinja|safetensors)$/.test(name));
  return Object.fromEntries(
    names.map((name) => [name, new Blob([new Uint8Array(readFileSync(join(folder, name)))])]),
  );
}

async function modelFilesOf({ model }: RunConfig, folder: string | undefined): Promise<Record<string, Blob>> {
  if (folder !== undefined) return filesIn(resolve(folder));
  if (model.kind === 'embedded')
    return filesIn(join(import.meta.dirname, '..', 'public', 'models', model.name));
  if (model.kind === 'hub') return fetchTokenizerFiles({ hub: model.repository, revision: model.revision });
  return {};
}

async function configOf(asked: string, seed?: string, steps?: string): Promise<RunConfig> {
  const base = Object.hasOwn(presets, asked) ? presets[asked] : (await decodeLink(asked)).config;
  return checkRunConfig({
    ...base,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(steps === undefined ? {} : { steps: Number(steps) }),
  });
}

function isEngine(name: string | undefined): name is Engine {
  return name === 'verl' || name === 'trl';
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { to: text, out: text, model: text, adapter: text, data: text, seed: text, steps: text };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [asked] = positionals;
  if (positionals.length !== 1 || !isEngine(values.to) || values.out === undefined) {
    console.error(usage);
    return 2;
  }
  const config = await configOf(asked, values.seed, values.steps);
  const training =
    values.data === undefined
      ? undefined
      : (await importDataset(new Blob([new Uint8Array(readFileSync(values.data))]))).items;
  const run = await exportRun(config, {
    to: values.to,
    modelFiles: await modelFilesOf(config, values.model),
    ...(values.adapter === undefined ? {} : { adapterFiles: filesIn(resolve(values.adapter)) }),
    imported: { training },
  });
  const out = resolve(values.out);
  if (out.endsWith('.zip')) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, new Uint8Array(await zipExport(run).arrayBuffer()));
  } else {
    for (const [name, bytes] of run.files) {
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, name), bytes);
    }
  }
  console.log(`${run.files.size} files for ${values.to} in ${values.out}`);
  console.log('lost (lost-fields.md):');
  for (const { what, instead } of run.lost) console.log(`  ${what}: ${instead}`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { code, message, nextStep } = toErrorReport(error);
  console.error(`${code}: ${message} ${nextStep}`);
  process.exitCode = 1;
}
