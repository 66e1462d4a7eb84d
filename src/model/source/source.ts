/**
 * Sources of a model's files: local files, a folder on a server, or a commit of a Hub repository. Other code uses the common
 * interface `ModelFiles`. Small files are read completely, up to a limit; weights are read as a `ByteSource`.
 */
import { about, MarbleError } from '../../base/error';
import { checkKeys } from '../../base/known-keys';
import { blobSource, gatherReads, type ByteSource } from './byte-source';
import type { GgufModel } from '../files/gguf/gguf-model';
import type { Checkpoint } from '../files/safetensors';
import type { ListedFile } from './hub';
import { openRemote, type RemoteOptions } from './remote-source';

export type ModelSource =
  | { files: Record<string, Blob> }
  /** URL of a folder with config.json, safetensors weights and the other files. */
  | { url: string }
  /** `owner/name`, or `owner/name:file.gguf`, at a commit of 40 hexadecimal digits. */
  | { hub: string; revision: string };

export interface ModelFiles {
  /** Name of the source for messages. */
  readonly label: string;
  has(name: string): Promise<boolean>;
  /** Reads a whole file as text. @throws MarbleError `model/file-missing`, `model/file-size`, `model/not-text` */
  text: (name: string) => Promise<string>;
  /** Reads a whole file as JSON. @throws MarbleError errors of `text`, `model/not-json` */
  json: (name: string) => Promise<unknown>;
  /** Opens a file of any size. @throws MarbleError `model/file-missing`, `model/lfs-pointer`, errors of `openRemote` */
  bytes(name: string): Promise<ByteSource>;
  /** URL of the file; null for a local file. */
  address(name: string): string | null;
  /** Sizes and hashes in the Hub's list; null for other sources. */
  readonly listing: ReadonlyMap<string, ListedFile> | null;
  /** The GGUF file from which all other files are derived; null for a source without one. */
  readonly gguf: { name: string; tensors: () => Promise<Checkpoint> } | null;
}

export interface OpenOptions extends RemoteOptions {
  /** Another server with the Hub's API, for tests and mirrors. */
  hubEndpoint?: string;
  /** Cache for all files of a Hub commit, which is immutable. */
  cache?: FileCache;
}

/** Cache between a source and the network, with which a second visit needs no download. */
export interface FileCache {
  /** Opens the file at an address; `listed` has its expected size and hash. */
  open(address: string, listed: ListedFile): Promise<ByteSource>;
  /** Returns an immutable text, fetched by `fetchText` the first time. */
  text(address: string, fetchText: () => Promise<string>): Promise<string>;
}

/** Limits on small files in bytes. Other text files have the smallest of these limits. */
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

/** Rejects a Git LFS pointer, a text of about 130 bytes that replaces a large file that was not fetched. */
function refuseLfsPointer(start: Uint8Array, name: string, label: string): void {
  if (new TextDecoder().decode(start.subarray(0, LFS_POINTER.length)) === LFS_POINTER) {
    throw new MarbleError(
      'model/lfs-pointer',
      `${name} in ${label} is a Git LFS pointer, not the file itself.`,
      'Use the address with /resolve/ instead of /raw/, or run `git lfs pull` before choosing the folder.',
    );
  }
}

async function readText(source: ByteSource, name: string, label: string): Promise<string> {
  const limit = Object.hasOwn(TEXT_LIMITS, name) ? TEXT_LIMITS[name] : OTHER_TEXT_LIMIT;
  if (source.size > limit) {
    throw new MarbleError(
      'model/file-size',
      `${name} in ${label} has ${source.size} bytes; the limit is ${limit}.`,
      'The file does not belong to a supported model: check the source.',
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

/** Implements `ModelFiles` on top of a source's function to open a file. */
function modelFiles(
  label: string,
  listing: ModelFiles['listing'],
  place: Pick<ModelFiles, 'has' | 'address'> & { open: (name: string) => Promise<ByteSource> },
): ModelFiles {
  const text = async (name: string): Promise<string> => readText(await place.open(name), name, label);
  return {
    label,
    listing,
    gguf: null,
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

/** Finds a file by name. The names of a dropped folder start with the folder, and a single weights file may have any name. */
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

/** Finds the GGUF file of a model; null if there is none, or if there are safetensors weights. */
function ggufAmong(names: readonly string[], label: string): string | null {
  if (names.some((name) => name.endsWith('.safetensors'))) return null;
  const ggufFiles = names.filter((name) => name.endsWith('.gguf'));
  if (ggufFiles.length <= 1) return ggufFiles[0] ?? null;
  throw new MarbleError(
    'model/gguf-several',
    `There are ${ggufFiles.length} GGUF files in ${label}: ${ggufFiles.slice(0, 40).join(', ')}.`,
    'Choose one of them: the file itself, or owner/name:file.gguf of the Hub. Q8_0 is closest to the original weights.',
  );
}

/**
 * Presents a GGUF file as the files of a model.
 *
 * @param keep returns the cached header of the file, or reads it
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
      // A dynamic import, since no embedded model needs it.
      const { describeGguf } = await import('../files/gguf/gguf-model');
      const read = async (source?: ByteSource): Promise<string> =>
        JSON.stringify(await describeGguf(source ?? (await files.bytes(container))));
      return JSON.parse(await keep(read)) as GgufModel;
    } catch (thrown) {
      throw about(container, thrown);
    }
  };
  const model = (): Promise<GgufModel> => (described ??= describe());
  const made = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
  const label = `${container} of ${files.label}`;
  const opened = modelFiles(label, files.listing, {
    has: (name) => Promise.resolve(name === container || made.includes(name)),
    address: () => files.address(container),
    async open(name) {
      if (name === container) return files.bytes(container);
      if (!made.includes(name)) throw missing(name, label);
      return blobSource(new Blob([JSON.stringify((await model()).texts[name])]));
    },
  });
  const tensors = async (): Promise<Checkpoint> => {
    const { widenedTensors } = await import('../files/gguf/gguf-model');
    return widenedTensors(await model(), await files.bytes(container));
  };
  return { ...opened, gguf: { name: container, tensors } };
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

/** Opens a file on a server. Adjacent small reads of weights share a request. */
async function openAddress(address: string, options: RemoteOptions): Promise<ByteSource> {
  const remote = await openRemote(address, options);
  return /\.(safetensors|gguf)$/.test(address) ? gatherReads(remote) : remote;
}

function openFolder(url: string, options: OpenOptions): ModelFiles {
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null || !['https:', 'http:'].includes(base.protocol)) {
    throw new MarbleError(
      'model/bad-address',
      `${JSON.stringify(url.slice(0, 200))} is not a valid address of a model.`,
      'Use the full address of the folder, with https://, or choose the files themselves.',
    );
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const address = (name: string): string => new URL(name, base).href;
  return modelFiles(base.href, null, {
    address,
    open: (name) => openAddress(address(name), options),
    async has(name) {
      try {
        await openRemote(address(name), options);
        return true;
      } catch (thrown) {
        // Servers of single-page applications respond with their page to requests for missing files.
        const absent = ['model/file-missing', 'model/web-page'];
        if (thrown instanceof MarbleError && absent.includes(thrown.code)) return false;
        throw thrown;
      }
    },
  });
}

async function openHub(hub: string, revision: string, options: OpenOptions): Promise<ModelFiles> {
  // A dynamic import, since no embedded model needs it.
  const { checkRevision, HUB_ENDPOINT, hubAddress, listedFiles, readHubName } = await import('./hub');
  const { repository, file: named } = readHubName(hub);
  checkRevision(revision);
  const endpoint = options.hubEndpoint ?? HUB_ENDPOINT;
  const list = async (): Promise<string> =>
    JSON.stringify([
      ...(await listedFiles(`models/${repository}/tree/${revision}`, { ...options, endpoint })),
    ]);
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
      const source = await (options.cache?.open(address(name), file) ?? openAddress(address(name), options));
      if (source.size !== file.size) {
        throw new MarbleError(
          'model/download-size',
          `${name} in ${label} has ${source.size} bytes on the server and ${file.size} in the Hub's list.`,
          'Try again; if this repeats, choose another revision.',
        );
      }
      return source;
    },
  });
  const container = named ?? ggufAmong([...listing.keys()], label);
  return openGguf(opened, container, async (read) => {
    if (container === null || !options.cache) return read();
    // Opening through the cache downloads the whole file, to which the visitor may not have agreed yet.
    const header = (): Promise<ByteSource> => openAddress(address(container), options);
    return options.cache.text(`${address(container)}/header`, async () => read(await header()));
  });
}

const OPEN_OPTIONS = {
  signal: true,
  silence: true,
  retryDelay: true,
  hubEndpoint: true,
  cache: true,
} as const;

/**
 * Opens a source. It fetches the file list of a Hub repository and no large files.
 *
 * @throws MarbleError `model/bad-address`, `model/hub-name`, `model/hub-revision`, and errors of `listedFiles`
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
