/**
 * Models of the Hub. Opens them through the browser's cache with progress events for the page, lists them and
 * deletes them.
 */
import type { ErrorReport, MarbleError } from '../../src/base/error';
import { openRemote } from '../../src/model/source/remote-source';
import type { OpenOptions } from '../../src/model/source/source';
import type { RunConfig } from '../../src/run/config/config';
import type { DownloadProgress, StoredModel, WeightCache } from '../../src/store/weights/weight-cache';

let opened: Promise<WeightCache> | null = null;

/**
 * Opens the weight cache once per worker. Its code is loaded on demand, and embedded models never need it. A failed
 * load is repeated by the next call.
 */
export function openedWeightCache(): Promise<WeightCache> {
  const load = async (): Promise<WeightCache> => {
    const { openWeightCache } = await import('../../src/store/weights/weight-cache');
    return openWeightCache(openRemote);
  };
  return (opened ??= load().catch((thrown: unknown) => {
    opened = null;
    throw thrown;
  }));
}

interface OpeningOptions {
  /** Receives download progress; omitted if a run has already fetched the model. */
  onProgress?: (progress: DownloadProgress) => void;
  /** Receives the error if storage refuses a file. */
  onFailure?: (error: ErrorReport) => void;
  /** Aborts a download; received data stays in the cache. */
  signal?: AbortSignal;
}

/** Returns the options for opening the model of a run. Only a model of the Hub needs a cache. */
export async function openOptions(
  { model }: RunConfig,
  { onProgress, onFailure, signal }: OpeningOptions = {},
): Promise<OpenOptions> {
  if (model.kind !== 'hub') return { signal };
  const weights = await openedWeightCache();
  return {
    signal,
    cache: {
      text: (address, fetchText) => weights.text(address, fetchText),
      async open(address, listed) {
        const file = await weights.open(address, listed, { signal, onProgress });
        if (file.refusal !== null) onFailure?.(notKept(file.refusal));
        return file;
      },
    },
  };
}

/** The error of a storage that has refused a file, with its consequence. */
const notKept = ({ message, nextStep }: MarbleError): ErrorReport => ({
  code: 'store/model-not-kept',
  message: `${message} The run uses the model all the same, and the next run fetches it again.`,
  nextStep,
});

/** Lists the stored models by their source folder, newest first. */
export async function storedModels(): Promise<StoredModel[]> {
  const models = new Map<string, StoredModel>();
  for (const file of await (await openedWeightCache()).list()) {
    const address = file.address.slice(0, file.address.lastIndexOf('/') + 1);
    const model = models.get(address) ?? { address, size: 0, kept: 0, complete: true, savedAt: 0 };
    models.set(address, {
      address,
      size: model.size + file.size,
      kept: model.kept + file.kept,
      complete: model.complete && file.complete,
      savedAt: Math.max(model.savedAt, file.savedAt),
    });
  }
  return [...models.values()].sort((a, b) => b.savedAt - a.savedAt);
}

export async function deleteStoredModel(address: string): Promise<void> {
  await (await openedWeightCache()).delete(address);
}
