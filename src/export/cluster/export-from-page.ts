/** Export of a stored run from the page: uses the models and adapters that ship with the page, and tokenizers from the Hub. */
import { MarbleError } from '../../base/error';
import { fetchInTime } from '../../base/fetch-in-time';
import type { RunConfig } from '../../run/config/config';
import { adapterPlaceOf } from '../../run/config/saved-adapter';
import type { ImportedItems } from '../../rl/data';
import { adapterNames, exportRun, zipExport } from './export-run';
import type { Engine } from './mapping';
import { fetchTokenizerFiles, refuseGguf } from '../model-files';

/** Files of an embedded model. None of them has a chat template. */
const embeddedFiles = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];

/**
 * @param base URL of the folder with index.html and `models/`
 * @param imported items of the imported data set on which the run trains, if any
 * @param ownFiles files of the visitor's own model, by path
 * @throws MarbleError `export/by-command` if the page lacks files of the run, `export/not-fetched`, `export/gguf`, and errors
 *   of `exportRun`
 */
export async function exportFromPage(
  config: RunConfig,
  to: Engine,
  base: string,
  imported: ImportedItems = {},
  ownFiles: Readonly<Record<string, Blob>> | null = null,
): Promise<Blob> {
  const { model } = config;
  const adapter = adapterPlaceOf(config);
  if (adapter !== null && adapter.kind !== 'ships')
    throw byCommand('starts from a saved adapter', '--adapter <folder>');
  const modelFiles = await filesOf(model, base, ownFiles);
  const adapterFiles =
    adapter === null
      ? undefined
      : await fetchShipped('adapter', adapterNames, new URL(`adapters/${adapter.name}/`, base));
  return zipExport(await exportRun(config, { to, modelFiles, adapterFiles, imported }));
}

async function filesOf(
  model: RunConfig['model'],
  base: string,
  ownFiles: Readonly<Record<string, Blob>> | null,
): Promise<Record<string, Blob>> {
  if (model.kind === 'hub') {
    const source = { hub: model.repository, revision: model.revision };
    await refuseGguf(source);
    return fetchTokenizerFiles(source);
  }
  if (model.kind === 'embedded')
    return fetchShipped('model', embeddedFiles, new URL(`models/${model.name}/`, base));
  if (model.kind === 'url' || ownFiles === null)
    throw byCommand('trains a model outside the Hub', '--model <folder>');
  const named = Object.entries(ownFiles).map(([path, file]) => [path.slice(path.lastIndexOf('/') + 1), file]);
  return Object.fromEntries(named) as Record<string, Blob>;
}

function byCommand(what: string, option: string): MarbleError {
  return new MarbleError(
    'export/by-command',
    `The run ${what}, and this page does not have all of its files.`,
    `Copy the run's link and export it with the command: npx marble-rl export '<link>' --to … --out … ${option}`,
  );
}

async function fetchShipped(
  what: 'model' | 'adapter',
  names: readonly string[],
  folder: URL,
): Promise<Record<string, Blob>> {
  const blobs: Record<string, Blob> = {};
  for (const name of names) {
    const refused = (why: string, cause?: unknown): MarbleError =>
      new MarbleError(
        'export/not-fetched',
        `${name} of the ${what} could not be fetched: ${why}.`,
        'Reload the page and try again.',
        { cause },
      );
    blobs[name] = await fetchInTime(new URL(name, folder), (response) => {
      if (!response.ok) throw refused(`the server responded with status ${response.status}`);
      return response.blob();
    }).catch((thrown: unknown) => {
      throw thrown instanceof MarbleError ? thrown : refused('the server did not answer', thrown);
    });
  }
  return blobs;
}
