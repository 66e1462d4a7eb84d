/** Addresses and API of the Hugging Face Hub: the commit of a branch and the files of a commit. */
import { MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { fetchPage, type RemoteOptions } from './remote-source';

export const HUB_ENDPOINT = 'https://huggingface.co';

/** A file in the Hub's list. */
export interface ListedFile {
  size: number;
  /** SHA-256 of the content in hex, for large files. */
  sha256: string | null;
}

interface HubOptions extends RemoteOptions {
  /** Another server with the Hub's API. */
  endpoint?: string;
}

const ANSWER_LIMIT = 4 * 1024 * 1024;
const REPOSITORY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,95}\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,95}$/;
const REVISION = /^[0-9a-f]{40}$/;
const BRANCH = /^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/;

/** Parses `owner/name` or `owner/name:file.gguf`. @throws MarbleError `model/hub-name` */
export function readHubName(name: string): { repository: string; file: string | null } {
  const [, repository = name, file = null] = /^([^:]*):([\w-][\w.-]*\.gguf)$/.exec(name) ?? [];
  if (!REPOSITORY.test(repository)) {
    throw new MarbleError(
      'model/hub-name',
      `${JSON.stringify(repository.slice(0, 100))} is not the name of a Hub repository.`,
      'Write it as owner/name, for example Qwen/Qwen2.5-0.5B-Instruct.',
    );
  }
  return { repository, file };
}

/** @throws MarbleError `model/hub-revision` unless it is a commit's 40 hexadecimal digits */
export function checkRevision(revision: string): void {
  if (!REVISION.test(revision)) {
    throw new MarbleError(
      'model/hub-revision',
      `${JSON.stringify(revision.slice(0, 100))} is not a commit; a branch can change during a shared run.`,
      'Use the 40 hexadecimal digits of a commit, or let the page look up the branch.',
    );
  }
}

/** URL of a file's content. It redirects to the storage for large files. */
export function hubAddress(
  repository: string,
  revision: string,
  file: string,
  endpoint = HUB_ENDPOINT,
): string {
  return `${endpoint}/${repository}/resolve/${revision}/${file.split('/').map(encodeURIComponent).join('/')}`;
}

async function fetchJson(
  address: string,
  options: RemoteOptions,
): Promise<{ json: unknown; next: string | null }> {
  const { bytes, next } = await fetchPage(address, ANSWER_LIMIT, options);
  try {
    return { json: JSON.parse(new TextDecoder().decode(bytes)) as unknown, next };
  } catch (cause) {
    throw strangeAnswer(address, cause);
  }
}

function strangeAnswer(address: string, cause?: unknown): MarbleError {
  return new MarbleError(
    'model/hub-answer',
    `The response of ${address} is not that of the Hub.`,
    'A network login page or a proxy may intercept the request: open the address in a tab, then try again.',
    { cause },
  );
}

/**
 * Looks up the current commit of a branch or tag.
 *
 * @throws MarbleError `model/hub-name`, `model/hub-revision`, `model/hub-answer`, and errors of `fetchPage`
 */
export async function resolveRevision(
  name: string,
  branch = 'main',
  { endpoint = HUB_ENDPOINT, ...options }: HubOptions = {},
): Promise<string> {
  const { repository } = readHubName(name);
  if (!BRANCH.test(branch)) checkRevision(branch);
  const path = `models/${repository}/revision/${encodeURIComponent(branch)}`;
  const { json: answer } = await fetchJson(`${endpoint}/api/${path}`, options);
  if (!isRecord(answer) || typeof answer.sha !== 'string' || !REVISION.test(answer.sha)) {
    throw strangeAnswer(path);
  }
  return answer.sha;
}

/** Limit on the pages of a list, with 1,000 entries each. */
const MOST_PAGES = 100;

/**
 * Lists the files at a path of the Hub's API, with their sizes and, if known, their hashes. The list may have several pages,
 * all on the same server.
 *
 * @throws MarbleError `model/hub-answer`, and errors of `fetchPage`
 */
export async function listedFiles(
  path: string,
  { endpoint = HUB_ENDPOINT, ...options }: HubOptions,
): Promise<Map<string, ListedFile>> {
  const files = new Map<string, ListedFile>();
  const first = `${endpoint}/api/${path}`;
  let address = first;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { json, next } = await fetchJson(address, options);
    if (!Array.isArray(json)) throw strangeAnswer(address);
    for (const row of json as unknown[]) {
      if (!isRecord(row) || row.type !== 'file') continue;
      const lfs = isRecord(row.lfs) ? row.lfs : {};
      const size = lfs.size ?? row.size;
      const isSize = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
      if (typeof row.path !== 'string' || !isSize) throw strangeAnswer(address);
      const sha256 = typeof lfs.oid === 'string' && /^[0-9a-f]{64}$/.test(lfs.oid) ? lfs.oid : null;
      files.set(row.path, { size, sha256 });
    }
    if (next === null) return files;
    const following = URL.canParse(next, address) ? new URL(next, address) : null;
    if (following?.origin !== new URL(first).origin) throw strangeAnswer(address);
    address = following.href;
  }
  throw new MarbleError(
    'model/hub-answer',
    `${first} lists more than ${1000 * MOST_PAGES} files.`,
    'Download the required files and choose them here.',
  );
}
