/** Export of a stored run from the page: uses the models and adapters that ship with the page, and tokenizers from the Hub. */
import { MarbleError } from '../../base/error';
import type { ModelSource } from '../../model/source/source';
import type { RunConfig } from '../../run/config/config';
import { adapterPlaceOf } from '../../run/config/saved-adapter';
import type { ImportedItems } from '../../rl/data';
import { exportFrom, zipExport } from './export-run';
import type { Engine } from './mapping';

/**
 * @param base URL of the folder with index.html and `models/`
 * @param imported items of the imported data set on which the run trains, if any
 * @param ownFiles files of the visitor's own model, by path
 * @throws MarbleError `export/by-command` if the page lacks files of the run, and errors of `exportFrom`
 */
export async function exportFromPage(
  config: RunConfig,
  to: Engine,
  base: string,
  imported: ImportedItems = {},
  ownFiles: Readonly<Record<string, Blob>> | null = null,
): Promise<Blob> {
  const place = adapterPlaceOf(config);
  if (place !== null && place.kind !== 'ships')
    throw byCommand('starts from a saved adapter', '--adapter <folder>');
  const adapter = place === null ? undefined : { url: new URL(`adapters/${place.name}/`, base).href };
  const model = sourceOf(config.model, base, ownFiles);
  return zipExport(await exportFrom(config, { to, model, adapter, imported }));
}

function sourceOf(
  model: RunConfig['model'],
  base: string,
  ownFiles: Readonly<Record<string, Blob>> | null,
): ModelSource {
  if (model.kind === 'hub') return { hub: model.repository, revision: model.revision };
  if (model.kind === 'embedded') return { url: new URL(`models/${model.name}/`, base).href };
  if (model.kind === 'url' || ownFiles === null)
    throw byCommand('trains a model outside the Hub', '--model <folder>');
  // A folder below that of the model may hold files of the same names.
  const named = Object.entries(ownFiles).flatMap(([path, file]) => {
    const [, name] = /^(?:[^/]*\/)?([^/]+\.(?:json|jinja|safetensors|gguf))$/.exec(path) ?? [];
    return name === undefined ? [] : [[name, file]];
  });
  return { files: Object.fromEntries(named) as Record<string, Blob> };
}

function byCommand(what: string, option: string): MarbleError {
  return new MarbleError(
    'export/by-command',
    `The run ${what}, and this page does not have all of its files.`,
    `Copy the run's link and export it with the command: npx marble-rl export '<link>' --to … --out … ${option}`,
  );
}
