/**
 * A data set of the Hub as parquet. The Hub converts every format on the branch `refs/convert/parquet` to
 * `<configuration>/<split>/0000.parquet`, with more files for large data sets.
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
  /** Total size of the files. */
  bytes: number;
}

/** Description of a data set, available before a download. */
export interface HubDataset {
  repository: string;
  /** Commit of the converted files. */
  revision: string;
  /** Field `license` of the data set card, filled in by its authors; null without one. */
  licence: string | null;
  splits: readonly HubSplit[];
}

/** Name as written by users: `owner/name`, or `owner/name:configuration/split`. */
export interface HubDatasetName {
  repository: string;
  config: string | null;
  split: string | null;
}

const LONGEST_LICENCE = 200;

/** @throws MarbleError `model/hub-name`, `model/hub-split` */
export function readDatasetName(text: string): HubDatasetName {
  const [repository, part] = text.split(/:(.*)/s) as [string, string?];
  checkRepository(repository);
  if (part === undefined) return { repository, config: null, split: null };
  const match = /^([^/]{1,100})\/([^/]{1,100})$/.exec(part);
  if (match === null)
    throw splitError(`“${part.slice(0, 100)}” is not of the form configuration/split.`, `Write ${repository}:default/train, or only ${repository} to list its splits.`); // prettier-ignore
  return { repository, config: match[1], split: match[2] };
}

/**
 * Fetches the licence field, the splits and their sizes of a data set, without its data.
 *
 * @throws MarbleError `model/hub-no-parquet`, `model/hub-name`, `model/hub-answer`, and errors of `fetchBytes`
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
    const match = /^([^/]+)\/([^/]+)\/[^/]+\.parquet$/.exec(path);
    if (match === null) continue;
    const [, config, split] = match;
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
  const licences = (Array.isArray(field) ? (field as unknown[]) : [field]).filter((each) => typeof each === 'string'); // prettier-ignore
  return licences.length === 0 ? null : licences.join(', ').slice(0, LONGEST_LICENCE);
}

/** Selects the named split, or without a name the only split. @throws MarbleError `model/hub-split` */
export function chosenSplit({ repository, splits }: HubDataset, { config, split }: HubDatasetName): HubSplit {
  const matching = splits.filter(
    (each) => config === null || (each.config === config && each.split === split),
  );
  if (matching.length === 1) return matching[0];
  const all = splits.slice(0, 20).map((each) => `${each.config}/${each.split}`);
  throw splitError(
    config === null
      ? `${repository} has ${splits.length} splits: ${all.join(', ')}.`
      : `${repository} has no ${config}/${split}; it has ${all.join(', ')}.`,
    `Name one of them: ${repository}:${all[0]}.`,
  );
}

/**
 * Fetches a split that consists of one parquet file and checks its size and hash.
 *
 * @param most limit on the size in bytes
 * @throws MarbleError `model/hub-split`, `model/download-size`, and errors of `fetchBytes`
 */
export async function fetchSplit(
  { repository, revision }: HubDataset,
  { config, split, files, bytes }: HubSplit,
  most: number,
  { endpoint = HUB_ENDPOINT, ...options }: HubOptions = {},
): Promise<File> {
  if (files.length !== 1 || bytes > most)
    throw splitError(`${config}/${split} of ${repository} has ${files.length} files with ${bytes} bytes in total; the limit is one file of ${most} bytes.`, 'Choose a smaller split, or download it and choose a part of its rows as a file.'); // prettier-ignore
  const [file] = files;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const address = `${endpoint}/datasets/${repository}/resolve/${revision}/${path}`;
  const content = await fetchBytes(address, most, options);
  const hex = await sha256(content);
  if (content.byteLength !== file.size || (file.sha256 !== null && hex !== file.sha256)) {
    throw new MarbleError(
      'model/download-size',
      `${file.path} of ${repository} (${content.byteLength} bytes) does not match the Hub's list (${file.size} bytes).`,
      'Try again; if this repeats, download the file and choose it here.',
    );
  }
  return new File([content], `${repository.replace('/', '-')}-${config}-${split}.parquet`);
}

/** Text for the terms of a data set's rows. */
export function hubTerms({ repository, revision, licence }: HubDataset): string {
  const field = licence === null ? 'no licence field' : `licence field “${licence}”`;
  return `${field} of ${repository} on the Hugging Face Hub, converted at ${revision.slice(0, 8)}`;
}

function notConverted(repository: string): MarbleError {
  return new MarbleError(
    'model/hub-no-parquet',
    `The Hub has not converted the data set ${repository} to parquet.`,
    'Open its page: it may be private, too new, or in a format that the Hub does not convert. Download a file of it and choose that file.',
  );
}

function splitError(message: string, nextStep: string): MarbleError {
  return new MarbleError('model/hub-split', message, nextStep);
}
