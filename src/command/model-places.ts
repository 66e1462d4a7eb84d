/**
 * Locates a run's model, adapter and data: in the package, in named folders and files, at the address of the page in
 * the run's link, or on the Hub.
 */
import { existsSync, openAsBlob, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MarbleError } from '../base/error';
import type { ModelSource } from '../model/source/source';
import type { ImportedItems } from '../rl/data';
import type { RunConfig } from '../run/config/config';
import { importedId } from '../run/config/imported';
import { adapterPlaceOf, type AdapterPlace } from '../run/config/saved-adapter';
import { contactsOf, type Contact } from '../share/contacts';
import { datasetNameOf, identifyDataset, nameOfId } from '../tom/import/dataset-id';
import { importDataset } from '../tom/import/import-dataset';
import type { Item } from '../tom/item';

/** Places named by options; each is optional. */
export interface Places {
  /** A model's own folder, or its GGUF file. */
  model?: string;
  adapter?: string;
  /** The file of the data set that the run trains on. */
  data?: string;
  /** The files of the data sets of the evaluation. */
  evaluation?: readonly string[];
  /** Shows what would be downloaded, and asks. Without it, nothing is downloaded. */
  mayFetch?: (what: string) => Promise<boolean>;
}

/** Folders with `models` and `adapters` in a checkout and in the package, which has only the small models. */
const shipping = ['public', 'dist-package'];

/** The folder that holds this program's package.json. */
function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The files of a model or an adapter in a folder, or a GGUF file. Each is read on demand. */
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

/**
 * Names the repository on the Hub and asks, because a file or a link may come from anybody.
 *
 * @throws MarbleError `command/not-agreed`
 */
export async function askFirst(what: Contact['what'], config: RunConfig, places: Places): Promise<void> {
  const contact = contactsOf(config).find((one) => one.what === what);
  if (contact === undefined || places[what] !== undefined) return;
  const download = `the ${what} ${contact.address}, from huggingface.co`;
  if ((await places.mayFetch?.(download)) === true) return;
  throw new MarbleError(
    'command/not-agreed',
    `Not downloaded: ${download}.`,
    'Read the terms on its page, then answer y at the prompt, or add --yes.',
  );
}

/**
 * Locates the model of a run.
 *
 * @param page address of the page in the run's link, if any
 * @throws MarbleError `command/no-folder`, `command/no-model`, `command/not-agreed`
 */
export async function modelSourceOf(
  config: RunConfig,
  places: Places,
  page: string | null,
): Promise<ModelSource> {
  return sourceOf('model', config.model, config, places, page);
}

/**
 * Locates the adapter that a run starts from, as `modelSourceOf`; undefined for a fresh one.
 *
 * @throws MarbleError `command/adapter-not-taken`, those of `modelSourceOf`
 */
export async function adapterSourceOf(
  config: RunConfig,
  places: Places,
  page: string | null,
): Promise<ModelSource | undefined> {
  const place = adapterPlaceOf(config);
  if (place !== null) return sourceOf('adapter', place, config, places, page);
  if (places.adapter === undefined) return undefined;
  throw new MarbleError(
    'command/adapter-not-taken',
    `The run starts from no adapter, and --adapter names ${places.adapter}.`,
    'Leave out --adapter, or add &training.adapter=files:name to the link of a LoRA run with the rank and alpha of the adapter.',
  );
}

async function sourceOf(
  what: Contact['what'],
  place: RunConfig['model'] | AdapterPlace,
  config: RunConfig,
  places: Places,
  page: string | null,
): Promise<ModelSource> {
  const folder = places[what];
  if (folder !== undefined) return { files: await filesIn(folder) };
  await askFirst(what, config, places);
  const isModel = what === 'model';
  switch (place.kind) {
    case 'hub':
      return { hub: place.repository, revision: place.revision };
    case 'files':
      throw new MarbleError(
        'command/no-model',
        `The run ${isModel ? 'trains local files' : 'starts from a local adapter'}, “${place.name}”, which a link does not contain.`,
        `Name ${isModel ? 'their' : 'its'} folder with --${what}.`,
      );
    case 'embedded':
    case 'ships': {
      const paths = shipping.map((one) => join(packageFolder(), one, `${what}s`, place.name));
      const path = paths.find((one) => existsSync(one));
      if (path !== undefined) return { files: await filesIn(path) };
      if (page !== null) return { url: new URL(`${what}s/${place.name}/`, page).href };
      throw new MarbleError(
        'command/no-model',
        `The ${what} ${place.name}${isModel ? '' : ' that the run starts from'} is not in this package.`,
        `Use the link with the full address of its page, which then provides the ${what}, or name its folder with --${what}, such as public/${what}s/${place.name} of a checkout.`,
      );
    }
  }
}

interface ReadSet {
  path: string;
  id: string;
  items: Item[];
}

/** The data set in a file, under the name of the one of `ids` that it is, or under the file's own name. */
async function readSet(path: string, ids: readonly string[]): Promise<ReadSet> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new MarbleError(
      'command/no-data',
      `There is no file ${path}.`,
      'Name the file of the data set; download it first if it is on the Hub.',
    );
  }
  const file = await openAsBlob(path);
  const readAs = async (name: string): Promise<ReadSet> => {
    const { items } = await importDataset(file, { name });
    return { path, id: (await identifyDataset(name, items)).id, items };
  };
  const own = await readAs(datasetNameOf(basename(path)));
  for (const id of ids) {
    const set = id === own.id ? own : await readAs(nameOfId(id)); // the page may have another name for the file
    if (set.id === id) return set;
  }
  return own;
}

export interface GivenData {
  imported: ImportedItems;
  /** Ids of the data sets in the given files, for the run's record. */
  ids: string[];
}

/**
 * Reads the imported data sets of a run. Each further file of `evaluation` is a separate data set. An id without a hash,
 * written by hand, accepts any file.
 *
 * @param recorded ids that the run's record holds, if it has begun; the files must be the same
 * @throws MarbleError `command/no-data` if the run needs a file that is not given, `command/other-data` if a file holds
 * other questions than the run names, `command/data-not-trained` if the run does not train on the given file, and those of
 * `importDataset`
 */
export async function importedItemsOf(
  { data, evaluation }: RunConfig,
  places: Places,
  recorded?: readonly string[],
): Promise<GivenData> {
  const { data: trained, evaluation: others = [] } = places;
  const id = importedId(data.source);
  if (id !== null && trained === undefined)
    throw missingData(`The run trains on the imported data set ${id}.`, '--data');
  if (id === null && trained !== undefined) {
    throw new MarbleError(
      'command/data-not-trained',
      `The run trains on ${data.source}, and --data names ${trained}.`,
      'Leave out --data, or use the link of a run on that data set: import it in the page (Data), train on it there and copy the link.',
    );
  }
  const ids = evaluation.imported ?? [];
  if (ids.length > others.length)
    throw missingData(
      `The run is evaluated on imported data sets: ${ids.join(', ')}.`,
      '--evaluation, one each',
    );
  const training = trained === undefined ? undefined : await readSet(trained, [id!]);
  const judged = await Promise.all(others.map((path) => readSet(path, ids)));
  const given = [...(training === undefined ? [] : [training]), ...judged];
  const wanted = [...(id === null ? [] : [id]), ...ids].filter((one) => nameOfId(one) !== one);
  const missing = [...wanted, ...(recorded ?? [])].find((one) => !given.some((set) => set.id === one));
  if (missing !== undefined) throw otherData(missing, given);
  return {
    imported: { training: training?.items, evaluation: judged.flatMap(({ items }) => items) },
    ids: given.map((set) => set.id),
  };
}

function otherData(missing: string, given: readonly ReadSet[]): MarbleError {
  const held = given.map(({ path, id }) => `${path} is the data set ${id}`).join(', ');
  return new MarbleError(
    'command/other-data',
    `The run names the data set ${missing}, and ${held}.`,
    'Name the file with which the run was made. Its questions, and its name or the name given in the page, are part of the id. For a new run on this file, put its id into the link.',
  );
}

function missingData(message: string, option: string): MarbleError {
  return new MarbleError('command/no-data', message, `Links contain no data: name the file with ${option}.`);
}
