/**
 * Where the command finds a run's model, adapter and data: in the package, in folders and files that are named, at the
 * address of the page that the run's link belongs to, or on the Hub.
 */
import { existsSync, openAsBlob, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MarbleError } from '../base/error';
import {
  chosenSplit,
  describeDataset,
  fetchSplit,
  hubTerms,
  readDatasetName,
} from '../model/source/hub-dataset';
import type { ModelSource } from '../model/source/source';
import type { ImportedItems } from '../rl/data';
import type { RunConfig } from '../run/config/config';
import { importedId } from '../run/config/imported';
import { knownModelFiles } from '../run/config/known-models';
import { adapterPlaceOf } from '../run/config/saved-adapter';
import { contactsOf, type Contact } from '../share/contacts';
import { importDataset } from '../tom/import/import-dataset';
import { MOST_BYTES } from '../tom/import/limits';
import type { Item } from '../tom/item';

/** Before the name of a data set of the Hub. */
const HUB = 'hub:';

/** As they are given; each may be missing. */
export interface Places {
  /** A model's own folder, or its GGUF file. */
  model?: string;
  /** A folder with a folder for each embedded model. */
  models?: string;
  adapter?: string;
  /** The file of the data set that the run trains on, or `hub:owner/name:configuration/split`. */
  data?: string;
  /** The same of the data sets that it is evaluated on besides. */
  evaluation?: readonly string[];
  /** Says what would be fetched, and asks; nothing is fetched where it is left out. */
  mayFetch?: (what: string) => Promise<boolean>;
}

/** Folders of embedded models in a checkout of Marble, and in its package, which has the small ones. */
const ownModels = ['public/models', 'dist-package/models'];
/** Folder of the adapters that ship, in a checkout: the package has none. */
const ownAdapters = 'public/adapters';

/** The folder that holds this program's package.json. */
function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The files of a model or an adapter in a folder, or a GGUF file, each read when it is asked for. */
export async function filesIn(path: string): Promise<Record<string, Blob>> {
  const folder = resolve(path);
  if (folder.endsWith('.gguf') && existsSync(folder)) {
    return { [basename(folder)]: await openAsBlob(folder) };
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new MarbleError(
      'command/no-folder',
      `There is no folder ${folder}.`,
      'Name the folder that holds the files, or a GGUF file.',
    );
  }
  const names = (await readdir(folder)).filter((name) => /\.(json|jinja|safetensors|gguf)$/.test(name));
  const files = names.map(async (name) => [name, await openAsBlob(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** Says which server a setting names, and asks: a file and a link may be anybody's. @throws MarbleError `command/not-agreed` */
export async function askFirst(what: Contact['what'], config: RunConfig, places: Places): Promise<void> {
  const contact = contactsOf(config, 'https://none.invalid/').find((one) => one.what === what);
  if (contact === undefined || places[what] !== undefined) return;
  await agree(`the ${what} ${contact.address}, from ${contact.host}`, places.mayFetch);
}

async function agree(what: string, mayFetch: Places['mayFetch']): Promise<void> {
  if ((await mayFetch?.(what)) === true) return;
  throw new MarbleError(
    'command/not-agreed',
    `Not fetched: ${what}.`,
    'Read the terms on its page, then answer y where the command asks, or add --yes.',
  );
}

/**
 * @param page the address of the page that the run's link belongs to, where it has one
 * @throws MarbleError `command/no-folder`, `command/no-model`, `command/not-agreed`
 */
export async function modelSourceOf(
  config: RunConfig,
  places: Places,
  page: string | null,
): Promise<ModelSource> {
  const { model: folder, models } = places;
  const { model } = config;
  if (folder !== undefined) return { files: await filesIn(folder) };
  await askFirst('model', config, places);
  switch (model.kind) {
    case 'hub':
      return { hub: model.repository, revision: model.revision };
    case 'url':
      return { url: model.url };
    case 'files':
      throw new MarbleError(
        'command/no-model',
        `The run trains the files “${model.name}” of somebody’s computer.`,
        'Name their folder by --model.',
      );
    case 'embedded': {
      const folders = models === undefined ? ownModels.map((own) => join(packageFolder(), own)) : [models];
      const found = folders.map((parent) => join(parent, model.name)).find((path) => existsSync(path));
      if (found !== undefined) return { files: await filesIn(found) };
      if (page !== null) return { url: new URL(`models/${model.name}/`, page).href };
      throw new MarbleError(
        'command/no-model',
        `The model ${model.name} is not in ${models ?? 'this package'}.`,
        'Give the link with the whole address of its page, from which the model is fetched then, or name by --models a folder that has it, such as public/models of a checkout.',
      );
    }
  }
}

/** As much of a Hub model of the presets as its plan takes; null for any other model, and where its files are named. */
export function plannedSourceOf({ model }: RunConfig, places: Places): ModelSource | null {
  return places.model === undefined ? knownModelFiles(model) : null;
}

/**
 * Where the adapter is that a run starts from; undefined for a fresh one.
 *
 * @param page the address of the page that the run's link belongs to, where it has one
 * @throws MarbleError `command/no-folder`, `command/no-model`, `command/not-agreed`
 */
export async function adapterSourceOf(
  config: RunConfig,
  places: Places,
  page: string | null,
): Promise<ModelSource | undefined> {
  const { adapter: folder } = places;
  const place = adapterPlaceOf(config);
  if (place === null) return undefined;
  if (folder !== undefined) return { files: await filesIn(folder) };
  await askFirst('adapter', config, places);
  switch (place.kind) {
    case 'hub':
      return { hub: place.repository, revision: place.revision };
    case 'url':
      return { url: place.url };
    case 'files':
      throw new MarbleError(
        'command/no-model',
        `The run starts from the adapter “${place.name}” of somebody’s computer.`,
        'Name its folder by --adapter.',
      );
    case 'ships': {
      const found = join(packageFolder(), ownAdapters, place.name);
      if (existsSync(found)) return { files: await filesIn(found) };
      if (page !== null) return { url: new URL(`adapters/${place.name}/`, page).href };
      throw new MarbleError(
        'command/no-model',
        `The adapter ${place.name} that the run starts from is not in this package.`,
        `Give the link with the whole address of its page, from which the adapter is fetched then, or name its folder by --adapter, such as ${ownAdapters}/${place.name} of a checkout.`,
      );
    }
  }
}

async function itemsOf(path: string, { mayFetch }: Places): Promise<Item[]> {
  if (path.startsWith(HUB)) {
    const { dataset, split } = await agreedSplit(path.slice(HUB.length), mayFetch);
    const file = await fetchSplit(dataset, split, MOST_BYTES);
    return (await importDataset(file, { licence: hubTerms(dataset) })).items;
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new MarbleError('command/no-data', `There is no file ${path}.`, 'Name the file of the data set.');
  }
  return (await importDataset(await openAsBlob(path))).items;
}

/** @returns what to fetch of the Hub, once that is agreed to */
async function agreedSplit(name: string, mayFetch: Places['mayFetch']) {
  const asked = readDatasetName(name);
  const dataset = await describeDataset(asked.repository);
  const split = chosenSplit(dataset, asked);
  const what = `${dataset.repository}:${split.config}/${split.split}, ${(split.bytes / 1e6).toFixed(1)} MB from the Hugging Face Hub; ${hubTerms(dataset)}`;
  await agree(what, mayFetch);
  return { dataset, split };
}

/** Of the data sets that these name on the Hub. @throws MarbleError `command/not-agreed` */
export async function askForData({ data = '', evaluation = [], mayFetch }: Places): Promise<void> {
  for (const name of [data, ...evaluation])
    if (name.startsWith(HUB)) await agreedSplit(name.slice(HUB.length), mayFetch);
}

/** @throws MarbleError `command/no-data` where the run needs a file that is not given, `command/data-not-trained` where it needs none, and those of `importDataset` */
export async function importedItemsOf(
  { data, evaluation }: RunConfig,
  places: Places,
): Promise<ImportedItems> {
  const { data: trained, evaluation: others = [] } = places;
  const id = importedId(data.source);
  if (id !== null && trained === undefined)
    throw missingData(`The run trains on the imported data set ${id}.`, '--data');
  if (id === null && trained !== undefined) {
    throw new MarbleError(
      'command/data-not-trained',
      `The run trains on ${data.source}, and --data names ${trained}.`,
      'Leave --data out, or take the link of a run on that data set: import it in the page (Data), train on it there and copy the link.',
    );
  }
  const asked = evaluation.imported ?? [];
  if (asked.length > others.length)
    throw missingData(
      `The run is evaluated on imported data sets: ${asked.join(', ')}.`,
      '--evaluation, one each',
    );
  const training = trained === undefined ? undefined : await itemsOf(trained, places);
  const judged: Item[] = [];
  for (const path of others) judged.push(...(await itemsOf(path, places))); // one after the other: each may ask
  return { training, evaluation: judged };
}

function missingData(message: string, option: string): MarbleError {
  return new MarbleError(
    'command/no-data',
    message,
    `A link never holds data: name the file by ${option}, or hub:owner/name of the Hugging Face Hub.`,
  );
}
