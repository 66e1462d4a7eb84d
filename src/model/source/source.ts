/**
 * Where a model's files come from: the visitor's own files, a folder on any server, or a commit of a Hub repository. The
 * rest of the room sees `ModelFiles` only. Small files are read whole under a cap; weights stay a source of bytes.
 */
import { about, MarbleError } from '../../base/error';
import { checkKeys } from '../../base/known-keys';
import { blobSource, bufferSource, gatherReads, type ByteSource } from './byte-source';
import type { GgufModel } from '../files/gguf/gguf-model';
import type { ListedFile } from './hub';
import { openRemote, type RemoteOptions } from './remote-source';

export type ModelSource =
  | { files: Record<string, Blob> }
  /** Absolute address of the folder that holds config.json and the rest, or of a GGUF file. */
  | { url: string }
  /** `owner/name`, or `owner/name:file.gguf`, at a commit of 40 hexadecimal digits. */
  | { hub: string; revision: string };

export interface ModelFiles {
  /** What to call the source in a message. */
  readonly label: string;
  has(name: string): Promise<boolean>;
  /** A file in full as text. @throws MarbleError `model/file-missing`, `model/file-size`, `model/not-text` */
  text(name: string): Promise<string>;
  /** A file in full as parsed JSON. @throws MarbleError those of `text`, `model/not-json` */
  json(name: string): Promise<unknown>;
  /** A file of any size. @throws MarbleError `model/file-missing`, `model/lfs-pointer`, those of `openRemote` */
  bytes(name: string): Promise<ByteSource>;
  /** Where the file is on the network; null for the visitor's own. */
  address(name: string): string | null;
  /** Sizes and hashes as the Hub lists them; null for other sources. */
  readonly listing: ReadonlyMap<string, ListedFile> | null;
  /** The GGUF file that all others are made from; null where files are read as they are. */
  readonly container: string | null;
}

export interface OpenOptions extends RemoteOptions {
  /** Another server with the Hub's addresses, for tests and mirrors. */
  hubEndpoint?: string;
  /** Keeps what is fetched: weights, and all of a Hub commit, which cannot change. */
  cache?: FileCache;
}

/** What stands between a source and the network, so that a second visit fetches nothing. */
export interface FileCache {
  /** Opens the file at an address; `listed` is what it must have, where that is known. */
  open(address: string, listed: ListedFile | null): Promise<ByteSource>;
  /** A text that stays what it was when `fetchText` first gave it. */
  text(address: string, fetchText: () => Promise<string>): Promise<string>;
}

/** The largest of each small file in bytes; a text that is not named here may have the least of them. */
const TEXT_LIMITS: Record<string, number> = {
  'tokenizer.json': 32 * 1024 * 1024,
  'config.json': 20 * 1024 * 1024,
  'model.safetensors.index.json': 20 * 1024 * 1024,
};
const OTHER_TEXT_LIMIT = 1024 * 1024;

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

function missing(name: string, label: string): MarbleError {
  return new MarbleError(
    'model/file-missing',
    `There is no ${name} in ${label}.`,
    'Choose a complete model: config.json, tokenizer.json and the safetensors weights.',
  );
}

/** Git LFS leaves a text of about 130 bytes in the place of a large file that was not fetched. */
function refuseLfsPointer(start: Uint8Array, name: string, label: string): void {
  if (new TextDecoder().decode(start.subarray(0, LFS_POINTER.length)) === LFS_POINTER) {
    throw new MarbleError(
      'model/lfs-pointer',
      `${name} in ${label} is a Git LFS pointer, not the file itself.`,
      'Use the address with /resolve/ in place of /raw/, or run `git lfs pull` before choosing the folder.',
    );
  }
}

async function readText(source: ByteSource, name: string, label: string): Promise<string> {
  const limit = Object.hasOwn(TEXT_LIMITS, name) ? TEXT_LIMITS[name] : OTHER_TEXT_LIMIT;
  if (source.size > limit) {
    throw new MarbleError(
      'model/file-size',
      `${name} in ${label} has ${source.size} bytes; at most ${limit} are read.`,
      'This is not a file that such a model has: check the source.',
    );
  }
  const bytes = await source.read(0, source.size);
  refuseLfsPointer(bytes, name, label);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new MarbleError(
      'model/not-text',
      `${name} in ${label} is not text in UTF-8.`,
      'The file is damaged: fetch it again.',
      { cause },
    );
  }
}

function parseJson(text: string, name: string, label: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new MarbleError(
      'model/not-json',
      `${name} in ${label} is not JSON: ${(cause as Error).message.slice(0, 120)}`,
      'The file is damaged: fetch it again.',
      { cause },
    );
  }
}

/** The reading that all sources share, over how one of them opens a file. */
function modelFiles(
  label: string,
  listing: ModelFiles['listing'],
  place: Pick<ModelFiles, 'has' | 'address'> & { open: (name: string) => Promise<ByteSource> },
): ModelFiles {
  const text = async (name: string): Promise<string> => readText(await place.open(name), name, label);
  return {
    label,
    listing,
    container: null,
    has: place.has,
    address: place.address,
    text,
    json: async (name) => parseJson(await text(name), name, label),
    async bytes(name) {
      const source = await place.open(name);
      refuseLfsPointer(await source.read(0, Math.min(source.size, LFS_POINTER.length)), name, label);
      return source;
    },
  };
}

/** A dropped folder's names begin with the folder; a single weights file may have any name. */
function findFile(files: Record<string, Blob>, name: string): Blob | null {
  if (Object.hasOwn(files, name)) return files[name];
  const paths = Object.keys(files);
  const inFolder = paths.filter((path) => path.split('/').length === 2 && path.endsWith(`/${name}`));
  if (inFolder.length === 1) return files[inFolder[0]];
  const weights = paths.filter((path) => path.endsWith('.safetensors'));
  if (name === 'model.safetensors' && weights.length === 1) {
    return /-\d{5}-of-\d{5}\.safetensors$/.test(weights[0]) ? null : files[weights[0]];
  }
  return null;
}

/** The GGUF file among those of a model; null where there is none, or weights in safetensors. */
function ggufAmong(names: readonly string[], label: string): string | null {
  if (names.some((name) => name.endsWith('.safetensors'))) return null;
  const found = names.filter((name) => name.endsWith('.gguf'));
  if (found.length <= 1) return found[0] ?? null;
  throw new MarbleError(
    'model/gguf-several',
    `There are ${found.length} GGUF files in ${label}: ${found.slice(0, 40).join(', ')}.`,
    'Choose one of them: the file itself, or owner/name:file.gguf of the Hub. Q8_0 is nearest to the original weights.',
  );
}

/**
 * A GGUF file as a folder with the files that a model has.
 *
 * @param keep gives what is known of the file's header, or reads it
 */
function openGguf(
  files: ModelFiles,
  container: string | null,
  keep = (read: (source?: ByteSource) => Promise<string>): Promise<string> => read(),
): ModelFiles {
  if (container === null) return files;
  let described: Promise<GgufModel> | null = null;
  const describe = async (): Promise<GgufModel> => {
    try {
      // Fetched here: no embedded model needs it.
      const { describeGguf } = await import('../files/gguf/gguf-model');
      const read = async (source?: ByteSource): Promise<string> =>
        JSON.stringify(await describeGguf(source ?? (await files.bytes(container))));
      return JSON.parse(await keep(read)) as GgufModel;
    } catch (thrown) {
      throw about(container, thrown);
    }
  };
  const made = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];
  const label = `${container} of ${files.label}`;
  const opened = modelFiles(label, files.listing, {
    has: (name) => Promise.resolve(name === container || made.includes(name)),
    address: () => files.address(container),
    async open(name) {
      if (name === container) return files.bytes(container);
      if (!made.includes(name)) throw missing(name, label);
      const model = await (described ??= describe());
      if (Object.hasOwn(model.texts, name)) {
        return bufferSource(new TextEncoder().encode(JSON.stringify(model.texts[name])));
      }
      const { widenedWeights } = await import('../files/gguf/gguf-model');
      return widenedWeights(model, await files.bytes(container));
    },
  });
  return { ...opened, container };
}

function openFiles(files: Record<string, Blob>): ModelFiles {
  const label = 'the files chosen';
  const opened = modelFiles(label, null, {
    has: (name) => Promise.resolve(findFile(files, name) !== null),
    address: () => null,
    open: (name) => {
      const blob = findFile(files, name);
      return blob === null ? Promise.reject(missing(name, label)) : Promise.resolve(blobSource(blob));
    },
  });
  return openGguf(opened, ggufAmong(Object.keys(files), label));
}

function isWeights(name: string): boolean {
  return /\.(safetensors|gguf)$/.test(name);
}

/** Weights, and whatever cannot change, through the cache where there is one; the rest from the network. */
async function openAddress(
  name: string,
  address: string,
  listed: ListedFile | null,
  { cache, ...options }: OpenOptions,
): Promise<ByteSource> {
  if (cache && (isWeights(name) || listed !== null)) return cache.open(address, listed);
  const remote = await openRemote(address, options);
  return isWeights(name) ? gatherReads(remote) : remote;
}

function openFolder(url: string, options: OpenOptions): ModelFiles {
  const [container = null] = /[^/]+\.gguf$/.exec(url) ?? [];
  const folder = url.endsWith('/') || container !== null ? url : `${url}/`;
  const base = URL.canParse(folder) ? new URL(folder) : null;
  if (base === null || !['https:', 'http:'].includes(base.protocol)) {
    throw new MarbleError(
      'model/bad-address',
      `${JSON.stringify(url.slice(0, 200))} is no address that models are read from.`,
      'Give the whole address of the folder, from https:// on, or choose the files themselves.',
    );
  }
  const address = (name: string): string => new URL(name, base).href;
  const opened = modelFiles(new URL('.', base).href, null, {
    address,
    open: (name) => openAddress(name, address(name), null, { ...options, onlyHere: true }),
    async has(name) {
      try {
        await openRemote(address(name), { ...options, onlyHere: true });
        return true;
      } catch (thrown) {
        // Servers of single-page applications answer with their page in the place of what is not there.
        const absent = ['model/file-missing', 'model/web-page'];
        if (thrown instanceof MarbleError && absent.includes(thrown.code)) return false;
        throw thrown;
      }
    },
  });
  return openGguf(opened, container);
}

async function openHub(hub: string, revision: string, options: OpenOptions): Promise<ModelFiles> {
  // Fetched here: no embedded model needs it.
  const { checkRevision, HUB_ENDPOINT, hubAddress, listRepository, readHubName } = await import('./hub');
  const { repository, file: named } = readHubName(hub);
  checkRevision(revision);
  const endpoint = options.hubEndpoint ?? HUB_ENDPOINT;
  const list = async (): Promise<string> =>
    JSON.stringify([...(await listRepository(repository, revision, { ...options, endpoint }))]);
  const listed = options.cache
    ? await options.cache.text(hubAddress(repository, revision, '', endpoint), list)
    : await list();
  const listing = new Map(JSON.parse(listed) as [string, ListedFile][]);
  const label = `${repository} at ${revision.slice(0, 8)}`;
  const address = (name: string): string => hubAddress(repository, revision, name, endpoint);
  const opened = modelFiles(label, listing, {
    address,
    has: (name) => Promise.resolve(listing.has(name)),
    async open(name) {
      const file = listing.get(name);
      if (file === undefined) throw missing(name, label);
      const source = await openAddress(name, address(name), file, options);
      if (source.size !== file.size) {
        throw new MarbleError(
          'model/download-size',
          `${name} in ${label} has ${source.size} bytes on the server and ${file.size} in the Hub's list.`,
          'Try again; if it stays so, take another revision.',
        );
      }
      return source;
    },
  });
  const container = named ?? ggufAmong([...listing.keys()], label);
  return openGguf(opened, container, async (read) => {
    const { cache, ...uncached } = options;
    if (container === null || !cache) return read();
    // The cache opens a file by fetching all of it, which the visitor may not have agreed to yet.
    const header = (): Promise<ByteSource> =>
      openAddress(container, address(container), listing.get(container) ?? null, uncached);
    return cache.text(`${address(container)}/header`, async () => read(await header()));
  });
}

const OPEN_OPTIONS = {
  ...{ signal: true, onlyHere: true, retryDelay: true, hubEndpoint: true, cache: true },
} as const;

/**
 * Opens a source. Nothing large is fetched; a Hub repository's list of files is.
 *
 * @throws MarbleError `model/bad-address`, `model/hub-name`, `model/hub-revision`, and those of `listRepository`
 */
export async function openSource(source: ModelSource, options: OpenOptions = {}): Promise<ModelFiles> {
  checkKeys('open', options, OPEN_OPTIONS);
  if ('files' in source) {
    checkKeys('A model source', source, { files: true });
    return openFiles(source.files);
  }
  if ('url' in source) {
    checkKeys('A model source', source, { url: true });
    return openFolder(source.url, options);
  }
  checkKeys('A model source', source, { hub: true, revision: true });
  return openHub(source.hub, source.revision, options);
}
