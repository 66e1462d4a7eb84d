/**
 * Model weights that are downloaded once, in parts, and kept in the Cache API.
 *
 * A part of 64 MB is fetched by four requests at once (a hub counts them: a class behind one address shares its limit),
 * hashed, and written before the next is begun: whatever breaks (a connection, the tab, the browser), at most one part is
 * fetched again, and no more than two are in memory. Where the server's list tells the SHA-256 of the file, the whole is
 * held to it. Where the browser gives no storage the weights are read from the network as they are needed, and the caller
 * is told.
 */
import type { ByteSource } from '../../model/source/byte-source';
import type { ListedFile } from '../../model/source/hub';
import type { RemoteFile, RemoteOptions } from '../../model/source/remote-source';
import { MarbleError } from '../../base/error';
import { storageError } from '../connection';
import { usualPatience, within } from '../patience';
import { createTransferRate } from './transfer-rate';
import { fetchMissing, fetchPart, isUnchanged, type Report } from './weight-download';
import {
  keptAddresses,
  keptParts,
  partSource,
  putFileRecord,
  putText,
  readFileRecord,
  readPart,
  readText,
  removeFile,
  type FileRecord,
  type PartCache,
  type PartSizes,
} from './weight-parts';

const cacheName = 'marble-weights';
const defaultSizes: PartSizes = { part: 64 * 2 ** 20, piece: 16 * 2 ** 20 };

/** `openRemote` of the model room: checked Range requests, repeated while the trouble is a passing one. */
export type OpenRemote = (address: string, options: RemoteOptions) => Promise<RemoteFile>;

export interface DownloadProgress {
  address: string;
  /** Bytes that are here, those of earlier visits included. */
  received: number;
  size: number;
  /** Bytes per second over the last seconds; null before there is anything to go by. */
  rate: number | null;
  secondsLeft: number | null;
}

interface OpenWeightsOptions extends RemoteOptions {
  onProgress?: (progress: DownloadProgress) => void;
}

export interface OpenedWeights extends ByteSource {
  /** Whether the next visit finds them here. */
  readonly kept: boolean;
  /** Why not. */
  readonly refusal: MarbleError | null;
}

/** What is kept here of a file of a model from elsewhere, or of all of them. */
export interface StoredModel {
  /** Of the file, or of the folder that they came from. */
  address: string;
  /** Bytes of the whole, and of what is here. */
  size: number;
  kept: number;
  complete: boolean;
  /** Milliseconds since 1970. */
  savedAt: number;
}

export type WeightCache = Awaited<ReturnType<typeof openWeightCache>>;

function isStorageFailure(error: unknown): error is MarbleError {
  return error instanceof MarbleError && (error.code === 'store/full' || error.code === 'store/unavailable');
}

/** Whatever the browser's cache throws is a failure of the storage, and gets its name; so does its silence. */
async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(usualPatience.answer, () => work);
  } catch (error) {
    const failure = storageError(error);
    throw failure instanceof MarbleError ? failure : storageError(new Error(String(error)));
  }
}

function withNamedFailures(cache: PartCache): PartCache {
  return {
    match: (key) => named(cache.match(key)),
    put: (key, response) => named(cache.put(key, response)),
    delete: (key) => named(cache.delete(key)),
    keys: () => named(cache.keys()),
  };
}

/** Whether what is kept belongs to the file that the server has now. Where nothing tells, it does not. */
function isSameFile(record: FileRecord, remote: RemoteFile, sha256: string | null): boolean {
  if (record.size !== remote.size) return false;
  return sha256 === null ? remote.isVersion(record) === true : record.sha256 === sha256;
}

/** Half a file would take the room that checkpoints need; a whole one is not given up for a failure that may pass. */
async function removeHalf(open: PartCache, address: string): Promise<void> {
  if ((await readFileRecord(open, address))?.complete !== true) await removeFile(open, address);
}

const browserStorage = (globalThis as { caches?: CacheStorage }).caches;

/**
 * Never fails: where the browser refuses storage, weights are read from the network and `kept` is false.
 *
 * @param storage - `caches` of the browser, or what stands in for it
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
    cache = withNamedFailures(await named(storage.open(cacheName)));
  } catch (error) {
    refusal = storageError(error) as MarbleError;
  }

  async function unkept(address: string, options: RemoteOptions, why: MarbleError): Promise<OpenedWeights> {
    const remote = await openRemote(address, options);
    return { size: remote.size, read: (start, end) => remote.read(start, end), kept: false, refusal: why };
  }

  function keptSource(open: PartCache, record: FileRecord, trusted: number[]): OpenedWeights {
    const fetchAgain = async (index: number) => {
      const before = index === 0 ? null : await readPart(open, record, index - 1);
      const remote = await openRemote(record.address, { onlyHere: record.sha256 === null });
      await fetchPart(remote, open, record, index, before?.state, () => undefined);
    };
    return { ...partSource(open, record, fetchAgain, trusted), kept: true, refusal: null };
  }

  async function openKept(
    open: PartCache,
    address: string,
    listed: ListedFile | null,
    { onProgress, signal, ...options }: OpenWeightsOptions,
  ): Promise<OpenedWeights> {
    const record = await readFileRecord(open, address);
    const listedHere = listed !== null && record?.size === listed.size && record.sha256 === listed.sha256;
    if (record?.complete && listedHere) return keptSource(open, record, []);

    const stop = new AbortController(); // one failed request ends the others of its part
    const abort = () => stop.abort();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      const remote = await openRemote(address, {
        ...options,
        onlyHere: listed === null,
        signal: stop.signal,
      });
      if (listed !== null && remote.size !== listed.size) {
        throw new MarbleError(
          'store/download-size',
          `${address} has ${remote.size} bytes on the server and ${listed.size} in its list.`,
          'Try again; if it stays so, take another revision.',
        );
      }
      const fresh: FileRecord = {
        address,
        size: remote.size,
        ...remote.version,
        sha256: listed?.sha256 ?? null,
        sizes,
        complete: false,
        savedAt: Date.now(),
      };
      const current = record !== null && isSameFile(record, remote, fresh.sha256) ? record : fresh;
      if (current.complete) return keptSource(open, current, []);
      if (current === fresh) {
        await removeFile(open, address);
        await putFileRecord(open, fresh);
      }
      const { size } = current;
      const rateAfter = createTransferRate();
      const report: Report = (received, arrived) => {
        const rate = arrived > 0 ? rateAfter(arrived) : null;
        const secondsLeft = rate === null ? null : (size - received) / rate;
        onProgress?.({ address, received, size, rate, secondsLeft });
      };
      const { digest, fetched } = await fetchMissing(remote, open, current, report);
      const holds = current.sha256 === null || digest === current.sha256;
      if (!holds || !(await isUnchanged(remote, open, current))) {
        await removeFile(open, address);
        throw holds
          ? new MarbleError(
              'store/file-changed',
              `${address} was replaced on the server while it was downloaded. Nothing of it is kept.`,
              'Start again: it is fetched anew. A commit of the Hub does not change under a run.',
            )
          : new MarbleError(
              'store/download-hash',
              `${address} was downloaded, and its SHA-256 is not the one that it should have. Nothing of it is kept.`,
              'Something between here and the server changes files: try another network, or choose the files themselves.',
            );
      }
      const complete = { ...current, complete: true };
      await putFileRecord(open, complete);
      return keptSource(open, complete, fetched);
    } catch (error) {
      const unreachable = error instanceof MarbleError && error.code === 'model/unreachable';
      if (unreachable && record?.complete && listed === null) return keptSource(open, record, []);
      throw error;
    } finally {
      stop.abort();
      signal?.removeEventListener('abort', abort);
    }
  }

  async function sizeOfKept(open: PartCache, record: FileRecord): Promise<number> {
    const parts = [...(await keptParts(open, record.address))];
    return parts.reduce(
      (sum, index) => sum + Math.min(record.sizes.part, record.size - index * record.sizes.part),
      0,
    );
  }

  return {
    /**
     * Fetches what is missing of a file, and opens it.
     *
     * @param listed - size and hash that the file must have, where they are known
     * @throws MarbleError `store/download-hash`, `store/download-size`, `store/file-changed`, and those of `openRemote`
     *   (`model/...`)
     */
    async open(
      address: string,
      listed: ListedFile | null,
      options: OpenWeightsOptions = {},
    ): Promise<OpenedWeights> {
      if (cache === null) return unkept(address, options, refusal!);
      try {
        return await openKept(cache, address, listed, options);
      } catch (error) {
        if (!isStorageFailure(error)) throw error;
        if (error.code === 'store/full') await removeHalf(cache, address).catch(() => undefined);
        return unkept(address, options, error);
      }
    },

    /**
     * A text that cannot change, kept from the first time on: the list of a commit's files.
     *
     * @param fetchText - where it comes from; what it throws is passed on
     */
    async text(address: string, fetchText: () => Promise<string>): Promise<string> {
      const known = cache && (await readText(cache, address).catch(() => null));
      if (known !== null) return known;
      const text = await fetchText();
      // A storage that refuses costs the next visit a request, nothing more.
      if (cache !== null) await putText(cache, address, text).catch(() => undefined);
      return text;
    },

    /** Bytes of the files that are still to be fetched. */
    async missing(files: readonly { address: string; size: number }[]): Promise<number> {
      let missing = 0;
      for (const { address, size } of files) {
        const record = cache && (await readFileRecord(cache, address));
        const isKnown = (record?.sha256 ?? record?.etag ?? record?.lastModified) != null;
        missing += size - (cache && record && isKnown ? await sizeOfKept(cache, record) : 0);
      }
      return missing;
    },

    async list(): Promise<StoredModel[]> {
      if (cache === null) return [];
      const weights: StoredModel[] = [];
      for (const address of await keptAddresses(cache)) {
        const record = await readFileRecord(cache, address);
        if (record === null) continue;
        const { size, complete, savedAt } = record;
        weights.push({ address, size, kept: await sizeOfKept(cache, record), complete, savedAt });
      }
      return weights.sort((a, b) => b.savedAt - a.savedAt);
    },

    /** Deletes a file, or all files of the folder at `address`. */
    async delete(address: string): Promise<void> {
      if (cache === null) return;
      const inside = address.endsWith('/') ? address : `${address}/`;
      for (const kept of await keptAddresses(cache)) {
        if (kept === address || kept.startsWith(inside)) await removeFile(cache, kept);
      }
    },
  };
}
