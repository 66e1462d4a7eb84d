/**
 * A data set of the Hub as parquet: whatever its authors uploaded, the Hub converts it on the branch `refs/convert/parquet`
 * into `<configuration>/<split>/0000.parquet`, and more files where it is large.
 */
import { sha256 } from '../../base/digest';
import { MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { askHub, checkRepository, HUB_ENDPOINT, listedFiles, strangeAnswer, type HubOptions, type ListedFile } from './hub'; // prettier-ignore
import { fetchBytes } from './remote-source';

export interface HubSplit {
  config: string;
  split: string;
  files: readonly (ListedFile & { path: string })[];
  /** Of all files. */
  bytes: number;
}

/** What is to be known before anything of a data set is fetched. */
export interface HubDataset {
  repository: string;
  /** Commit of the converted files. */
  revision: string;
  /** The card's field `license`, which its authors fill in; null where they did not. */
  licence: string | null;
  splits: readonly HubSplit[];
}

/** As it is written by hand: `owner/name`, or `owner/name:configuration/split`. */
export interface HubDatasetName {
  repository: string;
  config: string | null;
  split: string | null;
}

const LONGEST_LICENCE = 200;

/** @throws MarbleError `model/hub-name`, `model/hub-split` */
export function readDatasetName(text: string): HubDatasetName {
  const [, repository, , part] = /^([^:]*)(:(.*))?$/s.exec(text) ?? [];
  checkRepository(repository ?? text);
  if (part === undefined) return { repository, config: null, split: null };
  const found = /^([^/]{1,100})\/([^/]{1,100})$/.exec(part);
  if (found === null)
    throw splitError(`“${part.slice(0, 100)}” is no configuration with its split.`, `Write ${repository}:default/train, or ${repository} alone to see what there is.`); // prettier-ignore
  return { repository, config: found[1], split: found[2] };
}

/**
 * Its licence field and what there is of it, with sizes. Fetches no data.
 *
 * @throws MarbleError `model/hub-no-parquet`, `model/hub-name`, `model/hub-answer`, and those of `fetchBytes`
 */
export async function describeDataset(repository: string, options: HubOptions = {}): Promise<HubDataset> {
  checkRepository(repository);
  const about = await askHub(`datasets/${repository}`, options);
  const branch = `datasets/${repository}/revision/${encodeURIComponent('refs/convert/parquet')}` as const;
  const converted = await askHub(branch, options).catch((thrown: unknown) => {
    if (thrown instanceof MarbleError && thrown.code === 'model/file-missing') throw notConverted(repository);
    throw thrown;
  });
  if (!isRecord(about) || !isRecord(converted)) throw strangeAnswer(branch);
  const { sha: revision } = converted;
  if (typeof revision !== 'string' || !/^[0-9a-f]{40}$/.test(revision)) throw strangeAnswer(branch);
  const files = await listedFiles(`datasets/${repository}/tree/${revision}?recursive=true`, options);
  const splits = new Map<string, { config: string; split: string; files: HubSplit['files'][number][] }>();
  for (const [path, file] of files) {
    const found = /^([^/]+)\/([^/]+)\/[^/]+\.parquet$/.exec(path);
    if (found === null) continue;
    const [, config, split] = found;
    const known = splits.get(`${config}/${split}`) ?? { config, split, files: [] };
    known.files.push({ ...file, path });
    splits.set(`${config}/${split}`, known);
  }
  if (splits.size === 0) throw notConverted(repository);
  return {
    repository,
    revision,
    licence: licenceIn(about),
    splits: [...splits.values()].map((split) => ({
      ...split,
      bytes: split.files.reduce((sum, { size }) => sum + size, 0),
    })),
  };
}

function licenceIn({ cardData }: Record<string, unknown>): string | null {
  const field = isRecord(cardData) ? cardData.license : undefined;
  const named = (Array.isArray(field) ? (field as unknown[]) : [field]).filter((each) => typeof each === 'string'); // prettier-ignore
  return named.length === 0 ? null : named.join(', ').slice(0, LONGEST_LICENCE);
}

/** The split that is asked for; where none is, the only one. @throws MarbleError `model/hub-split` */
export function chosenSplit({ repository, splits }: HubDataset, { config, split }: HubDatasetName): HubSplit {
  const found = splits.filter((each) => config === null || (each.config === config && each.split === split));
  if (found.length === 1) return found[0];
  const all = splits.slice(0, 20).map((each) => `${each.config}/${each.split}`);
  throw splitError(
    config === null
      ? `${repository} has ${splits.length} splits: ${all.join(', ')}.`
      : `${repository} has no ${config}/${split}; it has ${all.join(', ')}.`,
    `Name one of them: ${repository}:${all[0]}.`,
  );
}

/**
 * The split's rows as one parquet file, checked by its size and hash.
 *
 * @param most bytes that are fetched
 * @throws MarbleError `model/hub-split`, `model/download-size`, and those of `fetchBytes`
 */
export async function fetchSplit(
  { repository, revision }: HubDataset,
  { config, split, files, bytes }: HubSplit,
  most: number,
  { endpoint = HUB_ENDPOINT, ...options }: HubOptions = {},
): Promise<File> {
  if (files.length !== 1 || bytes > most)
    throw splitError(`${config}/${split} of ${repository} has ${files.length} files of ${bytes} bytes together; one of at most ${most} is taken.`, 'Choose a smaller split, or download it and choose a part of its rows as a file.'); // prettier-ignore
  const [file] = files;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const address = `${endpoint}/datasets/${repository}/resolve/${revision}/${path}`;
  const content = await fetchBytes(address, most, options);
  const hex = await sha256(content);
  if (content.byteLength !== file.size || (file.sha256 !== null && hex !== file.sha256)) {
    throw new MarbleError(
      'model/download-size',
      `${file.path} of ${repository} came with ${content.byteLength} bytes that are not the ${file.size} of the Hub's list.`,
      'Try again; if it stays so, download the file and choose it here.',
    );
  }
  return new File([content], `${repository.replace('/', '-')}-${config}-${split}.parquet`);
}

/** What to note as the terms of a data set's rows. */
export function hubTerms({ repository, revision, licence }: HubDataset): string {
  const field = licence === null ? 'no licence field' : `licence field “${licence}”`;
  return `${field} of ${repository} on the Hugging Face Hub, converted at ${revision.slice(0, 8)}`;
}

function notConverted(repository: string): MarbleError {
  return new MarbleError(
    'model/hub-no-parquet',
    `The Hub has not converted the data set ${repository} to parquet.`,
    'Open its page: it may be private, too new, or of a form that the Hub does not read. Download a file of it and choose that.',
  );
}

function splitError(message: string, nextStep: string): MarbleError {
  return new MarbleError('model/hub-split', message, nextStep);
}
