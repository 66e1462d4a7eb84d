/**
 * Reads, previews and stores imported data sets and run files, which are untrusted, outside of the page and of the
 * training worker. It trains nothing and owns no GPU.
 */
import { MarbleError } from '../src/base/error';
import type { RunHistory } from '../src/run/record/history';
import type { ImportedRun } from '../src/store/keep-run';
import type { DatasetRecord } from '../src/store/records';
import { storeOnDemand } from '../src/store/store';
import { identifyDataset } from '../src/tom/import/dataset-id';
import { importDataset, previewDataset } from '../src/tom/import/import-dataset';
import { MOST_BYTES } from '../src/tom/import/limits';

/** Result of an import. */
export interface Imported {
  record: DatasetRecord;
  /** Number of skipped rows by reason. */
  skipped: Record<string, number>;
}

/** Interface for the page. Every call may throw a `MarbleError`. */
export type DatasetService = ReturnType<typeof createDatasetService>;

export function createDatasetService() {
  const openedStore = storeOnDemand();

  return {
    list: async () => (await openedStore()).listDatasets(),
    /** Previews an import. Stores nothing. */
    preview: (file: File) => previewDataset(file),
    /** Stores all items of a file under a name, or none. */
    async keep(file: File, name: string): Promise<Imported> {
      const { items, skipped, dataset, licence } = await importDataset(file, { name });
      const about = { ...(await identifyDataset(name, items)), name, dataset, licence };
      return { record: await (await openedStore()).putDataset(about, items), skipped };
    },
    /** Fetches a file from a URL that the visitor entered. */
    fetchFile,
    remove: async (id: string) => (await openedStore()).deleteDataset(id),
    /** Reads the record and metrics from a run's file, or from its result code as plain text. Stores nothing. */
    async readHistory(file: File): Promise<RunHistory> {
      if (file.type !== 'text/plain')
        return (await (await import('../src/share/run-file')).unpackRun(file)).history;
      const { codeLimit, readResultCode } = await import('../src/share/result-code');
      return readResultCode(await file.slice(0, 2 * codeLimit).text());
    },
    /** Stores the run of a file. If the same run is already stored, returns that one. */
    async openRunFile(file: Blob): Promise<ImportedRun> {
      const { unpackRun } = await import('../src/share/run-file');
      const { history, rollouts, checkpoint, ...rest } = await unpackRun(file);
      return { ...(await (await openedStore()).keepRun(history, rollouts, checkpoint)), ...rest };
    },
  };
}

/** True if the page's content security policy allows requests to the address (`scripts/build/content-security-policy.ts`). */
const isAllowed = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname));

/** @throws MarbleError `app/bad-address`, or an error of `fetchPage` */
async function fetchFile(address: string): Promise<File> {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isOwn = url?.origin === location.origin;
  if (url === null || !(isOwn || isAllowed(url))) {
    throw new MarbleError(
      'app/bad-address',
      `"${address.slice(0, 80)}" is no address that this page may fetch a file from.`,
      'Give one that begins with https://, or choose a file.',
    );
  }
  const { fetchPage } = await import('../src/model/source/remote-source');
  const { bytes } = await fetchPage(url.href, MOST_BYTES);
  return new File([bytes], url.pathname.split('/').at(-1) || url.host);
}
