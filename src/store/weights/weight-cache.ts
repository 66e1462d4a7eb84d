/**
 * A cache of downloaded model weights in the Cache API. Files are downloaded in parts.
 *
 * Four parallel requests fetch a part of 64 MB. More requests could exceed the Hub's rate limit, which all users behind one
 * address share. A part is hashed and stored before the next one starts. After any interruption (connection, tab, browser)
 * at most one part is fetched again, and at most two are in memory. If the Hub's file list has a SHA-256, the complete
 * file must match it. A file of a commit never changes at its address. Without browser storage the weights are read from the network on demand, and `refusal` has the reason.
 */
import type { ByteSource } from '../../model/source/byte-source';
import type { ListedFile } from '../../model/source/hub';
import type { RemoteFile, RemoteOptions } from '../../model/source/remote-source';
import { MarbleError } from '../../base/error';
import { defaultPatience, storageError, within } from '../connection';
import {
  fetchMissing,
  fetchPart,
  storedAddresses,
  storedParts,
  partSource,
  putFileRecord,
  putText,
  readFileRecord,
  readText,
  removeFile,
  type Report,
  type FileRecord,
  type PartCache,
  type PartSizes,
} from './weight-parts';

const cacheName = 'marble-weights';
const defaultSizes: PartSizes = { part: 64 * 2 ** 20, piece: 16 * 2 ** 20 };

/** Signature of `openRemote` in `src/model/source`: Range requests with checks and retries. */
export type OpenRemote = (address: string, options: RemoteOptions) => Promise<RemoteFile>;

export interface DownloadProgress {
  address: string;
  /** Stored bytes, those of earlier visits included. */
  received: number;
  size: number;
  /** Bytes per second since the download began or resumed; null before the first bytes arrive. */
  rate: number | null;
  secondsLeft: number | null;
}

interface OpenWeightsOptions extends RemoteOptions {
  onProgress?: (progress: DownloadProgress) => void;
}

export interface OpenedWeights extends ByteSource {
  /** Reason if the weights are not stored for the next visit; null if they are. */
  readonly refusal: MarbleError | null;
}

/** A stored or partly stored file of a downloaded model, or all files of one. */
export interface StoredModel {
  /** URL of the file or of its folder. */
  address: string;
  /** Size in bytes. */
  size: number;
  /** Stored bytes. */
  kept: number;
  complete: boolean;
  /** Milliseconds since 1970. */
  savedAt: number;
}

export type WeightCache = Awaited<ReturnType<typeof openWeightCache>>;

function isStorageFailure(error: unknown): error is MarbleError {
  return error instanceof MarbleError && (error.code === 'store/full' || error.code === 'store/unavailable');
}

/** Converts every error of the browser's cache, and a timeout, to a MarbleError of the storage. */
async function withStorageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(defaultPatience.answer, () => work);
  } catch (error) {
    const failure = storageError(error);
    throw failure instanceof MarbleError ? failure : storageError(new Error(String(error)));
  }
}

/**
 * The cache, opened again after its data were cleared: from then on every call on the previous one fails with
 * `NotFoundError`.
 */
async function checkedCache(open: () => Promise<PartCache>): Promise<PartCache> {
  let cache = await withStorageErrors(open());
  const call = <T>(work: (cache: PartCache) => Promise<T>): Promise<T> =>
    withStorageErrors(
      work(cache).catch(async (thrown: unknown) => {
        if (!(thrown instanceof Error) || thrown.name !== 'NotFoundError') throw thrown;
        cache = await open();
        return work(cache);
      }),
    );
  return {
    match: (key) => call((now) => now.match(key)),
    put: (key, response) => withStorageErrors(cache.put(key, response)), // a response can be read once
    delete: (key) => call((now) => now.delete(key)),
    keys: () => call((now) => now.keys()),
  };
}

/** Removes an incomplete file, whose space checkpoints may need. A complete file remains, since the failure may be temporary. */
async function removeIncomplete(open: PartCache, address: string): Promise<void> {
  if ((await readFileRecord(open, address))?.complete !== true) await removeFile(open, address);
}

const browserStorage = (globalThis as { caches?: CacheStorage }).caches;

/**
 * Opens the cache. It never throws: without browser storage, weights are read from the network.
 *
 * @param storage the browser's `caches` or a substitute
 */
export async function openWeightCache(
  openRemote: OpenRemote,
  {
    storage = browserStorage,
    sizes = defaultSizes,
  }: { storage?: { open(name: string): Promise<PartCache> }; sizes?: PartSizes } = {},
) {
  let cache: PartCache | null = null;
  let refusal: MarbleError | null = null;
  try {
    if (storage === undefined) throw new Error('there is no Cache API.');
    cache = await checkedCache(() => storage.open(cacheName));
  } catch (error) {
    refusal = storageError(error) as MarbleError;
  }

  async function openUncached(
    address: string,
    options: RemoteOptions,
    refusal: MarbleError,
  ): Promise<OpenedWeights> {
    const remote = await openRemote(address, options);
    return { size: remote.size, read: (start, end) => remote.read(start, end), refusal };
  }

  function cachedSource(open: PartCache, record: FileRecord, trusted: number[]): OpenedWeights {
    const fetchAgain = async (index: number) => {
      await fetchPart(await openRemote(record.address, {}), open, record, index);
      // Another tab may have deleted the record, and parts without one are not listed.
      const isGone = (await readFileRecord(open, record.address)) === null;
      if (isGone) await putFileRecord(open, { ...record, complete: false });
    };
    const source = partSource(open, record, fetchAgain, trusted);
    const read: ByteSource['read'] = async (start, end) => {
      try {
        return await source.read(start, end);
      } catch (thrown) {
        throw thrown instanceof DOMException ? storageError(thrown) : thrown;
      }
    };
    return { ...source, read, refusal: null };
  }

  async function openCached(
    open: PartCache,
    address: string,
    { size, sha256 }: ListedFile,
    { onProgress, signal, ...options }: OpenWeightsOptions,
  ): Promise<OpenedWeights> {
    const record = await readFileRecord(open, address);
    const stored = record?.size === size && record.sha256 === sha256 ? record : null;
    if (stored?.complete) return cachedSource(open, stored, []);

    const stop = new AbortController(); // a failed request cancels the others of its part
    const abort = () => stop.abort();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      const remote = await openRemote(address, { ...options, signal: stop.signal });
      if (remote.size !== size) {
        throw new MarbleError(
          'store/download-size',
          `${address} has ${remote.size} bytes on the server and ${size} in its list.`,
          'Try again; if this repeats, choose another revision.',
        );
      }
      const current = stored ?? { address, size, sha256, sizes, complete: false, savedAt: Date.now() };
      if (stored === null) {
        await removeFile(open, address);
        await putFileRecord(open, current);
      }
      let begun = 0;
      let fetchedBytes = 0;
      const report: Report = (received, arrived) => {
        if (arrived + fetchedBytes === 0) begun = performance.now(); // stored parts are checked first
        fetchedBytes += arrived;
        const seconds = (performance.now() - begun) / 1000;
        const rate = fetchedBytes > 0 && seconds > 0 ? fetchedBytes / seconds : null;
        const secondsLeft = rate === null ? null : (size - received) / rate;
        onProgress?.({ address, received, size, rate, secondsLeft });
      };
      const { digest, fetched } = await fetchMissing(remote, open, current, report, stop.signal);
      if (sha256 !== null && digest !== sha256) {
        await removeFile(open, address);
        throw new MarbleError(
          'store/download-hash',
          `${address} does not match its SHA-256. The download was deleted.`,
          'A proxy or the network may change files: try another network, or download the files and choose them here.',
        );
      }
      const complete = { ...current, complete: true };
      await putFileRecord(open, complete);
      return cachedSource(open, complete, fetched);
    } finally {
      stop.abort();
      signal?.removeEventListener('abort', abort);
    }
  }

  async function storedBytes(open: PartCache, record: FileRecord): Promise<number> {
    const parts = [...(await storedParts(open, record.address))];
    return parts.reduce(
      (sum, index) => sum + Math.min(record.sizes.part, record.size - index * record.sizes.part),
      0,
    );
  }

  return {
    /**
     * Downloads the missing parts of a file and opens it.
     *
     * @param listed expected size and hash
     * @throws MarbleError `store/download-hash`, `store/download-size`, and errors of `openRemote` (`model/...`)
     */
    async open(
      address: string,
      listed: ListedFile,
      options: OpenWeightsOptions = {},
    ): Promise<OpenedWeights> {
      if (cache === null) return openUncached(address, options, refusal!);
      try {
        return await openCached(cache, address, listed, options);
      } catch (error) {
        if (!isStorageFailure(error)) throw error;
        if (error.code === 'store/full') await removeIncomplete(cache, address).catch(() => undefined);
        return openUncached(address, options, error);
      }
    },

    /**
     * Returns an immutable text, such as the file list of a commit, from the cache or from `fetchText`.
     *
     * @param fetchText fetches the text; its errors pass through
     */
    async text(address: string, fetchText: () => Promise<string>): Promise<string> {
      const stored = cache && (await readText(cache, address).catch(() => null));
      if (stored !== null) return stored;
      const text = await fetchText();
      // If the storage fails, the next visit repeats the request.
      if (cache !== null) await putText(cache, address, text).catch(() => undefined);
      return text;
    },

    /** Bytes of the files that remain to be downloaded; all of them if the storage fails. */
    async missing(files: readonly { address: string; size: number }[]): Promise<number> {
      const storedOf = async (open: PartCache, address: string, size: number): Promise<number> => {
        const record = await readFileRecord(open, address);
        return record?.size === size ? storedBytes(open, record) : 0;
      };
      let missing = 0;
      for (const { address, size } of files)
        missing += size - (cache === null ? 0 : await storedOf(cache, address, size).catch(() => 0));
      return missing;
    },

    async list(): Promise<StoredModel[]> {
      if (cache === null) return [];
      const weights: StoredModel[] = [];
      for (const address of await storedAddresses(cache)) {
        const record = await readFileRecord(cache, address);
        if (record === null) continue;
        const { size, savedAt } = record;
        const kept = await storedBytes(cache, record);
        const complete = record.complete && kept === size; // a deletion may have been interrupted
        weights.push({ address, size, kept, complete, savedAt });
      }
      return weights.sort((a, b) => b.savedAt - a.savedAt);
    },

    /** Deletes a file, or all files of the folder at `address`. */
    async delete(address: string): Promise<void> {
      if (cache === null) return;
      const inside = address.endsWith('/') ? address : `${address}/`;
      for (const stored of await storedAddresses(cache)) {
        if (stored === address || stored.startsWith(inside)) await removeFile(cache, stored);
      }
    },
  };
}
